/** A time as `2026-11-20 13:54:57`, in local time. */
export function localTime(ms: number): string {
  const time = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}
