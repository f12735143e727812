/** What a synthetic bucket is called: `synthetic-1000000` and `synthetic-1000000-too` list that many keys, and store nothing. */
export const SYNTHETIC_BUCKET = /^\/synthetic-(\d+)(?:-too)?(?:\/?\?|\/?$)/;

const OBJECT =
  '<LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag>' +
  '<Size>4096</Size><StorageClass>STANDARD</StorageClass></Contents>';

/** The answer to a list request (version 1 or 2) for a synthetic bucket: the next page of its keys, in order. */
export function syntheticPage(url: string, total: number): string {
  const query = new URL(url, 'http://localhost').searchParams;
  const after =
    query.get('continuation-token') ?? query.get('start-after') ?? query.get('marker') ?? '';
  const first = countUpTo(after, total);
  const end = Math.min(total, first + Number(query.get('max-keys') ?? 1000));
  let contents = '';
  for (let i = first; i < end; i++) contents += `<Contents><Key>${keyOf(i)}</Key>${OBJECT}`;
  const next = end < total ? keyOf(end - 1) : '';
  const isVersion2 = query.get('list-type') === '2';
  const nextName = isVersion2 ? 'NextContinuationToken' : 'NextMarker';
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
    `<IsTruncated>${next !== ''}</IsTruncated>${next === '' ? '' : `<${nextName}>${next}</${nextName}>`}` +
    `${isVersion2 ? `<KeyCount>${end - first}</KeyCount>` : ''}<MaxKeys>1000</MaxKeys>${contents}</ListBucketResult>`
  );
}

/** How many of the keys are not after a name. */
function countUpTo(name: string, total: number): number {
  let [low, high] = [0, total];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyOf(middle) <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keyOf(index: number): string {
  return `picture-${String(index).padStart(9, '0')}`;
}
