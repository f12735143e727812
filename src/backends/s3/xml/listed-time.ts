const USUAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The day of the last time: most keys of a page are of few days. */
let day = { text: '', ms: Number.NaN };

/**
 * A time of a listing in milliseconds since the epoch; `undefined` for other text. As `Date.parse`, in less time for
 * what nearly all servers write: `2024-01-31T10:20:30.000Z`.
 */
export function listedTime(text: string): number | undefined {
  if (USUAL_TIME.test(text)) {
    if (!text.startsWith(day.text) || day.text === '') {
      const date = text.slice(0, 10);
      day = { text: date, ms: Date.parse(date) };
    }
    const hour = digits(text, 11, 2);
    const minute = digits(text, 14, 2);
    const second = digits(text, 17, 2);
    if (hour < 24 && minute < 60 && second < 60 && !Number.isNaN(day.ms)) {
      return day.ms + ((hour * 60 + minute) * 60 + second) * 1000 + digits(text, 20, 3);
    }
  }
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The number that the digits at a place are. */
function digits(text: string, at: number, count: number): number {
  let number = 0;
  for (let i = at; i < at + count; i++) number = number * 10 + text.charCodeAt(i) - 0x30;
  return number;
}
