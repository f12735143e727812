import type { TemplateValue } from './template-node.ts';

/** Whether a value counts as true in a template: not empty, not zero, not nil. */
export function isTrue(value: TemplateValue): boolean {
  return value !== null && value !== false && value !== 0 && value !== '';
}
