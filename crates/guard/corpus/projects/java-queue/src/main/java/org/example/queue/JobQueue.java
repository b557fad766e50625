package org.example.queue;

import java.util.ArrayDeque;
import java.util.Deque;

public class JobQueue {
    private final Deque<String> jobs = new ArrayDeque<>();
    private final int limit;

    public JobQueue(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be positive");
        }
        this.limit = limit;
    }

    public boolean offer(String job) {
        if (jobs.size() >= limit) {
            return false;
        }
        jobs.addLast(job);
        return true;
    }

    public String take() {
        if (jobs.isEmpty()) {
            throw new IllegalStateException("queue is empty");
        }
        return jobs.removeFirst();
    }

    public int size() {
        return jobs.size();
    }
}
