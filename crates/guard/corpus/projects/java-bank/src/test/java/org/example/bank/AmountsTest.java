package org.example.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountsTest {
    @Test
    void parsesWhole() {
        assertEquals(1200, Amounts.parse("12"));
    }

    @Test
    void parsesCents() {
        assertEquals(1234, Amounts.parse("12.34"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0.00",
        "5, 0.05",
        "123456, 1234.56",
    })
    void formats(long cents, String expected) {
        assertEquals(expected, Amounts.format(cents));
    }

    @Test
    void rejectsEmpty() {
        assertThrows(NumberFormatException.class, () -> Amounts.parse(""));
    }
}
