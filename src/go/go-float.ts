const DIGITS = String.raw`\d+(?:_\d+)*`;
const DECIMAL = new RegExp(
  String.raw`^[+-]?(?:${DIGITS}(?:\.(?:${DIGITS})?)?|\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`,
);
const HEX_DIGITS = '[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*';
const HEX = new RegExp(
  String.raw`^([+-]?)0[xX]_?(?:(${HEX_DIGITS})(?:\.(${HEX_DIGITS})?)?|\.(${HEX_DIGITS}))[pP]([+-]?${DIGITS})$`,
);

/**
 * A number as Go's `strconv.ParseFloat` reads it, which decides what rclone takes for a size or a duration:
 * `1.5`, `.5`, `1.`, `1e3`, `1_000`, `0x1p4`. `undefined` for other text, for infinities and where the value
 * is out of range.
 */
export function parseGoFloat(text: string): number | undefined {
  const value = DECIMAL.test(text) ? Number(text.replaceAll('_', '')) : parseHexFloat(text);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function parseHexFloat(text: string): number | undefined {
  const match = HEX.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = match[4] ?? '', , exponent = ''] = match;
  const digits = (whole + fraction).replaceAll('_', '');
  const scale = Number(exponent.replaceAll('_', '')) - 4 * fraction.replaceAll('_', '').length;
  const magnitude = Number(BigInt(`0x${digits}`)) * 2 ** scale;
  return sign === '-' ? -magnitude : magnitude;
}

/**
 * `value` with three decimals as Go's `%.3f` prints it: a value exactly half-way goes to the even digit
 * (`toFixed` goes up). Half-way values are the odd sixteenths, the only ones a double can hold exactly.
 */
export function formatThousandths(value: number): string {
  const sixteenths = value * 16;
  const halfWay = Number.isInteger(sixteenths) && sixteenths % 2 !== 0;
  if (!halfWay) return value.toFixed(3);
  const below = Math.floor(value * 1000);
  return ((below % 2 === 0 ? below : below + 1) / 1000).toFixed(3);
}
