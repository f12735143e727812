import { BlockList, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { GoFault } from '../../go/go-errno.ts';

interface Address {
  readonly family: 'ipv4' | 'ipv6';
  readonly ip: string;
}

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
  if (base.family !== address.family) return false;
  const list = new BlockList();
  list.addSubnet(base.ip, prefix, base.family);
  return list.check(address.ip, address.family);
}

function parseNetwork(text: string): { base: Address; prefix: number } | undefined {
  const slash = text.indexOf('/');
  const ip = text.slice(0, slash);
  const mask = text.slice(slash + 1);
  const width = isIPv4(ip) ? 32 : 128;
  const base = ip.includes('%') ? undefined : parseAddress(ip);
  if (base === undefined || !/^\d+$/.test(mask) || Number(mask) > width) return undefined;
  // An IPv4 address in the form of IPv6 counts as what it is, where its mask leaves that form whole.
  const prefix = Number(mask) - (width === 128 && base.family === 'ipv4' ? 96 : 0);
  return prefix >= 0
    ? { base, prefix }
    : { base: { family: 'ipv6', ip: '::' }, prefix: Number(mask) };
}

function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 'ipv4', ip: text };
  if (!isIPv6(text)) return undefined;
  const address = text.replace(/%.*$/, '');
  const ip = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = /^::ffff:([\d.]+)$/.exec(ip)?.[1];
  return mapped === undefined ? { family: 'ipv6', ip } : { family: 'ipv4', ip: mapped };
}
