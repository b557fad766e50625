import { scan } from './scanner';

export interface Options {
  spaces: boolean;
}

export function parseOptions(text: string): Options {
  try {
    const { spaces } = JSON.parse(text);
    return { spaces: Boolean(spaces) };
  } catch (error) {
    throw new SyntaxError('unreadable options', { cause: error });
  }
}

export function format(source: string, options: Options = { spaces: true }): string {
  return scan(source).map((token) => token.text).join(options.spaces ? ' ' : '');
}

export function countTokens(source: string): number {
  return scan(source).length;
}
