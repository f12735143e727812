/** A root of the store for people, as rclone names it: `S3 bucket photos path 2024`. */
export function storeTitle(root: string): string {
  if (root === '') return 'S3 root';
  const slash = root.indexOf('/');
  return slash < 0
    ? `S3 bucket ${root}`
    : `S3 bucket ${root.slice(0, slash)} path ${root.slice(slash + 1)}`;
}
