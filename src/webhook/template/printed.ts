import type { TemplateValue } from './template-node.ts';

/** A value as the functions of a template print it. */
export function printed(value: TemplateValue): string {
  return value === null ? '<nil>' : String(value);
}
