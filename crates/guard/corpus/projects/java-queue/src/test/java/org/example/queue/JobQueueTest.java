package org.example.queue;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class JobQueueTest {
    private JobQueue queue;

    @BeforeMethod
    public void fill() {
        queue = new JobQueue(2);
        queue.offer("a");
    }

    @Test
    public void takesInOrder() {
        queue.offer("b");
        assertEquals(queue.take(), "a");
        assertEquals(queue.take(), "b");
    }

    @Test
    public void isLimited() {
        assertTrue(queue.offer("b"));
        assertFalse(queue.offer("c"));
        assertEquals(queue.size(), 2);
    }

    @Test(expectedExceptions = IllegalStateException.class)
    public void emptyQueueFails() {
        queue.take();
        queue.take();
    }

    @Test(expectedExceptions = IllegalArgumentException.class)
    public void limitIsPositive() {
        new JobQueue(0);
    }

    @Test
    public void sizeCounts() {
        assertEquals(queue.size(), 1);
    }
}
