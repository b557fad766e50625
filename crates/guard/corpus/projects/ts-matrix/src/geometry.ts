export interface Point {
  x: number;
  y: number;
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

export function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

export function normalizeAngle(degrees: number): number {
  if (!Number.isFinite(degrees)) {
    throw new RangeError('angle must be finite');
  }
  return ((degrees % 360) + 360) % 360;
}

export function compassPoint(degrees: number): string {
  const names = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];
  return names[Math.round(normalizeAngle(degrees) / 45) % 8];
}

export function area(points: Point[]): number {
  if (points.length < 3) {
    throw new RangeError('too few points');
  }
  const twice = points.reduce((sum, point, at) => {
    const next = points[(at + 1) % points.length];
    return sum + point.x * next.y - next.x * point.y;
  }, 0);
  return Math.abs(twice) / 2;
}
