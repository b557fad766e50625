import { describe, expect, it } from 'vitest';
import { luminance, mix, parseColor, textColor } from './color';

describe('parseColor', () => {
  it('reads the channels', () => {
    expect(parseColor('#102030')).toEqual([16, 32, 48]);
  });

  it('reads white', () => {
    expect(parseColor('#FFFFFF')).toEqual([255, 255, 255]);
  });

  it.each(['', '#fff', 'red', '#12345g'])('rejects %s', (text) => {
    expect(() => parseColor(text)).toThrow(SyntaxError);
  });
});

describe('luminance', () => {
  it('is between zero and one', () => {
    expect(luminance([0, 0, 0])).toBe(0);
    expect(luminance([255, 255, 255])).toBeCloseTo(1, 5);
  });

  it('weighs green most', () => {
    expect(luminance([0, 255, 0])).toBeCloseTo(0.587, 3);
  });
});

describe('textColor', () => {
  it('is black on white', () => {
    expect(textColor('#ffffff')).toBe('#000000');
  });

  it('is white on navy', () => {
    expect(textColor('#000080')).toBe('#ffffff');
  });

  it('mixes', () => {
    expect(mix('#000000', '#ffffff')).toBe('#808080');
  });
});
