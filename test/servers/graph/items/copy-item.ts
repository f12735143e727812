import { startCopy } from '../copy-jobs.ts';
import { conflictOf, isObject, readJson } from '../graph-call.ts';
import { invalidRequest, notSupported } from '../graph-failure.ts';
import { existing, itemById } from '../item-address.ts';
import type { ItemHandler } from '../item-request.ts';

/** POST copy: 202 and the address of a monitor. */
export const copyItem: ItemHandler = ({ world, call, drive, address }) => {
  const item = existing(address);
  if (item.packageType !== undefined || item.remote !== undefined) {
    throw notSupported('This kind of item cannot be copied.');
  }
  const body = readJson(call);
  const reference = body['parentReference'] ?? {};
  if (!isObject(reference)) throw invalidRequest('parentReference is no object.');
  const { driveId, id } = reference;
  const target = typeof driveId === 'string' && driveId !== '' ? world.drive(driveId) : drive;
  if (target !== drive && (target.type === 'personal' || drive.type === 'personal')) {
    throw notSupported('Items of personal drives are copied within their drive only.');
  }
  const folder =
    typeof id === 'string' && id !== 'root' ? itemById(target, id) : (item.parent ?? target.root);
  const name = body['name'] ?? item.name;
  if (typeof name !== 'string') throw invalidRequest('The name is no text.');
  target.checkPlace(name, folder, item.children !== undefined);
  for (let at = folder.parent; at !== undefined; at = at.parent) {
    if (at === item) throw invalidRequest('A folder cannot be copied into itself.');
  }
  const behavior = conflictOf(call, body) ?? 'fail';
  const job = startCopy(world, {
    source: { drive, item },
    target: { drive: target, folder, name },
    behavior: behavior === 'replace' && !world.settings.copyReplaces ? 'fail' : behavior,
    origin: call.origin,
  });
  return { status: 202, headers: { location: `${call.contentOrigin}/monitor/${job.id}` } };
};
