using System;
using System.Collections.Generic;

namespace Units;

public static class Converter
{
    private static readonly Dictionary<string, double> Meters = new()
    {
        ["m"] = 1,
        ["km"] = 1000,
        ["mi"] = 1609.344,
    };

    public static double Convert(double value, string from, string to)
    {
        if (value < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(value));
        }
        if (!Meters.ContainsKey(from) || !Meters.ContainsKey(to))
        {
            throw new ArgumentException("unknown unit");
        }
        return value * Meters[from] / Meters[to];
    }

    public static string Format(double value, string unit)
    {
        return FormattableString.Invariant($"{value:0.##} {unit}");
    }
}
