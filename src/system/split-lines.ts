/**
 * Makes lines of pieces of text.
 * @returns takes a piece and gives the lines that it completes; throws where one is longer than `maxLength`
 */
export function splitLines(maxLength: number): (piece: string) => string[] {
  let rest = '';
  return (piece) => {
    const parts = `${rest}${piece}`.split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > maxLength) throw new Error('the line is too long');
    return parts.filter((line) => line !== '');
  };
}
