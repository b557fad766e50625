using System;
using Xunit;

namespace Units.Tests;

public class ConverterTests
{
    [Fact]
    public void MilesToMeters()
    {
        Assert.Equal(1609.344, Converter.Convert(1, "mi", "m"), 3);
    }

    [Fact]
    public void SameUnit()
    {
        Assert.Equal(5, Converter.Convert(5, "km", "km"));
        Assert.NotEqual(6, Converter.Convert(5, "km", "km"));
    }

    [Theory]
    [InlineData(1, "km", 1000)]
    [InlineData(0, "km", 0)]
    [InlineData(2.5, "m", 2.5)]
    public void ToMeters(double value, string unit, double expected)
    {
        Assert.Equal(expected, Converter.Convert(value, unit, "m"));
    }

    [Fact]
    public void UnknownUnit()
    {
        Assert.Throws<ArgumentException>(() => Converter.Convert(1, "ft", "m"));
    }

    [Fact]
    public void NegativeValue()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Converter.Convert(-1, "m", "m"));
    }

    [Fact]
    public void Formats()
    {
        Assert.Equal("1.5 km", Converter.Format(1.5, "km"));
    }
}
