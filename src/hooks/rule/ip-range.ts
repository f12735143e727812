import { isIPv4, isIPv6 } from 'node:net';
import { GoFault } from '../go/go-fault.ts';

interface Address {
  readonly bits: 32 | 128;
  readonly number: bigint;
}

const MAPPED = 0xffffn << 32n;

/**
 * Whether an address lies in one of the networks, separated by blanks. Without a mask `/32` is meant, also for
 * IPv6, as in webhook 2.8.0. They are looked at in order: throws `GoFault` for one that is reached and wrong.
 *
 * @param remoteAddress `ip:port`
 */
export function isInRange(remoteAddress: string, range: string): boolean {
  const colon = remoteAddress.lastIndexOf(':');
  const address = parseAddress(remoteAddress.slice(0, Math.max(colon, 0)).replace(/^\[|\]$/g, ''));
  if (address === undefined) {
    throw new GoFault(`invalid IP address found in remote address '${remoteAddress}'`);
  }
  return networksIn(range).some((network) => contains(network, address));
}

/** The first network in `range` that is wrong. */
export function wrongNetwork(range: string): string | undefined {
  return networksIn(range).find((network) => parseNetwork(network) === undefined);
}

function networksIn(range: string): string[] {
  const words = range.split(/[\s\u0085\u00a0]+/).filter((word) => word !== '');
  return words.map((word) => (word.includes('/') ? word : `${word}/32`));
}

function contains(network: string, address: Address): boolean {
  const parsed = parseNetwork(network);
  if (parsed === undefined) throw new GoFault(`invalid CIDR address: ${network}`);
  const { base, prefix } = parsed;
  const shift = BigInt(base.bits - prefix);
  return base.bits === address.bits && base.number >> shift === address.number >> shift;
}

function parseNetwork(text: string): { base: Address; prefix: number } | undefined {
  const slash = text.indexOf('/');
  const ip = text.slice(0, slash);
  const mask = text.slice(slash + 1);
  const width = isIPv4(ip) ? 32 : 128;
  const base = ip.includes('%') ? undefined : parseAddress(ip);
  if (base === undefined || !/^\d+$/.test(mask) || Number(mask) > width) return undefined;
  // An IPv4 address in the form of IPv6 counts as what it is, where its mask leaves that form whole.
  const prefix = Number(mask) - (width - base.bits);
  return prefix >= 0 ? { base, prefix } : { base: { bits: 128, number: 0n }, prefix: Number(mask) };
}

function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, number: parseIpv4(text) };
  if (!isIPv6(text)) return undefined;
  const number = parseIpv6(text.replace(/%.*$/, ''));
  if (number >> 32n === 0xffffn) return { bits: 32, number: number - MAPPED };
  return { bits: 128, number };
}

function parseIpv4(text: string): bigint {
  return text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint {
  const dotted = /[\d.]+$/.exec(text)?.[0] ?? '';
  const tail = dotted.includes('.') ? parseIpv4(dotted) : undefined;
  const plain =
    tail === undefined
      ? text
      : `${text.slice(0, -dotted.length)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const [left = '', right] = plain.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const head = groups(left);
  const back = groups(right ?? '');
  const zeros = Array.from({ length: 8 - head.length - back.length }, () => '0');
  return [...head, ...zeros, ...back].reduce(
    (sum, group) => (sum << 16n) | BigInt(`0x${group}`),
    0n,
  );
}
