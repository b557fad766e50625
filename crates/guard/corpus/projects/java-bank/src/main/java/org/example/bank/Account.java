package org.example.bank;

import java.util.ArrayList;
import java.util.List;

public final class Account {
    private final String owner;
    private final List<String> log = new ArrayList<>();
    private long cents;

    public Account(String owner) {
        if (owner == null || owner.isBlank()) {
            throw new IllegalArgumentException("owner is required");
        }
        this.owner = owner;
    }

    public void deposit(long amount) {
        if (amount <= 0) {
            throw new IllegalArgumentException("deposit must be positive");
        }
        cents += amount;
        log.add("deposit " + amount);
    }

    public void withdraw(long amount) {
        if (amount > cents) {
            throw new IllegalStateException("insufficient funds");
        }
        cents -= amount;
        log.add("withdraw " + amount);
    }

    public long balance() {
        return cents;
    }

    public String owner() {
        return owner;
    }

    public List<String> log() {
        return List.copyOf(log);
    }
}
