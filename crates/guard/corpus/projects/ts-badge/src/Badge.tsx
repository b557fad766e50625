import { textColor } from './color';
import { formatCount } from './count';

export interface BadgeProps {
  label: string;
  count?: number;
  color?: string;
  onClose?: () => void;
}

export function Badge({ label, count, color = '#336699', onClose }: BadgeProps) {
  if (!label) {
    throw new Error('a badge needs a label');
  }
  return (
    <span className="badge" style={{ background: color, color: textColor(color) }}>
      {label}
      {count !== undefined && <b data-testid="count">{formatCount(count)}</b>}
      {onClose && <button aria-label="close" onClick={onClose} />}
    </span>
  );
}
