import { invalidRequest } from '../graph-failure.ts';
import { existing } from '../item-address.ts';
import { downloadAddress, eTagOf } from '../item-json.ts';
import { type ItemHandler, itemAnswer } from '../item-request.ts';

/** GET of an item. */
export const getItem: ItemHandler = (request) => {
  const item = existing(request.address);
  if (request.call.headers['if-none-match'] === eTagOf(item, request.drive)) return { status: 304 };
  return itemAnswer(request, 200, item);
};

/** GET of a file's content: a redirect to an address that needs no token. */
export const getContent: ItemHandler = (request) => {
  const item = existing(request.address);
  if (item.content === undefined) throw invalidRequest('The item has no content.');
  return { status: 302, headers: { location: downloadAddress(item, request) } };
};
