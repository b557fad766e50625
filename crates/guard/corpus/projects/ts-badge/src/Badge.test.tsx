import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { Badge } from './Badge';

describe('Badge', () => {
  it('shows the label', () => {
    render(<Badge label="Inbox" />);
    expect(screen.getByText('Inbox').className).toBe('badge');
  });

  it('shows a count', () => {
    render(<Badge label="Inbox" count={120} />);
    expect(screen.getByTestId('count').textContent).toBe('99+');
  });

  it('has no count by default', () => {
    render(<Badge label="Inbox" />);
    expect(screen.queryByTestId('count')).toBeNull();
  });

  it('closes', () => {
    const onClose = vi.fn();
    render(<Badge label="Inbox" onClose={onClose} />);
    fireEvent.click(screen.getByLabelText('close'));
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('needs a label', () => {
    expect(() => Badge({ label: '' })).toThrow('a badge needs a label');
  });

  it('matches the snapshot', () => {
    const { container } = render(<Badge label="Inbox" count={3} color="#102030" />);
    expect(container.firstChild).toMatchSnapshot();
  });

  it('looks the same without a count', () => {
    const { container } = render(<Badge label="Sent" />);
    expect(container.innerHTML).toMatchInlineSnapshot(
      `"<span class="badge" style="background: rgb(51, 102, 153); color: rgb(255, 255, 255);">Sent</span>"`,
    );
  });
});
