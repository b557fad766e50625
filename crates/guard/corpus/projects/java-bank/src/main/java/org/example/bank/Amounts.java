package org.example.bank;

public final class Amounts {
    private Amounts() {}

    public static long parse(String text) {
        if (text.isEmpty()) {
            throw new NumberFormatException("empty amount");
        }
        int dot = text.indexOf('.');
        if (dot < 0) {
            return Long.parseLong(text) * 100;
        }
        String fraction = (text.substring(dot + 1) + "00").substring(0, 2);
        return Long.parseLong(text.substring(0, dot)) * 100 + Long.parseLong(fraction);
    }

    public static String format(long cents) {
        return String.format("%d.%02d", cents / 100, cents % 100);
    }
}
