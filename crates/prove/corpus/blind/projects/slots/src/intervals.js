/** Sorted, without overlaps; slots that touch become one. */
export function merge(slots) {
  const out = [];
  for (const slot of [...slots].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last && slot.start <= last.end) {
      last.end = Math.max(last.end, slot.end);
    } else {
      out.push({ ...slot });
    }
  }
  return out;
}

/** What is left of `slots` without `taken`. */
export function subtract(slots, taken) {
  let left = merge(slots);
  for (const hole of merge(taken)) {
    left = left.flatMap((slot) => {
      if (hole.end <= slot.start || hole.start >= slot.end) return [slot];
      const parts = [];
      if (hole.start > slot.start) parts.push({ start: slot.start, end: hole.start });
      if (hole.end < slot.end) parts.push({ start: hole.end, end: slot.end });
      return parts;
    });
  }
  return left;
}

export function intersect(a, b) {
  const out = [];
  for (const x of merge(a)) {
    for (const y of merge(b)) {
      const start = Math.max(x.start, y.start);
      const end = Math.min(x.end, y.end);
      if (start < end) out.push({ start, end });
    }
  }
  return out;
}

export function totalMinutes(slots) {
  return merge(slots).reduce((sum, slot) => sum + slot.end - slot.start, 0);
}
