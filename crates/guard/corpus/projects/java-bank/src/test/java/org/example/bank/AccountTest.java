package org.example.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccountTest {
    private Account account;

    @BeforeEach
    void open() {
        account = new Account("ann");
        account.deposit(500);
    }

    @Test
    void depositAdds() {
        account.deposit(250);
        assertEquals(750, account.balance());
    }

    @Test
    void withdrawTakes() {
        account.withdraw(200);
        assertEquals(300, account.balance());
        assertEquals(List.of("deposit 500", "withdraw 200"), account.log());
    }

    @Test
    void withdrawIsLimited() {
        assertThrows(IllegalStateException.class, () -> account.withdraw(501));
        assertEquals(500, account.balance());
    }

    @Test
    void depositMustBePositive() {
        assertThrows(IllegalArgumentException.class, () -> account.deposit(0));
    }

    @Test
    void ownerIsRequired() {
        assertThrows(IllegalArgumentException.class, () -> new Account(" "));
    }

    @Test
    void changesAreLogged() {
        assertTrue(account.log().contains("deposit 500"));
        assertEquals("ann", account.owner());
    }
}
