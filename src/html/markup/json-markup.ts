/** JSON values as trees whose parts can be closed without a script, and the schema of a JSON field. */

import type { FieldModel, JsonValue } from '../../definition/model.ts'
import { escapeText, html, type Markup } from './markup.ts'

/** More values would make the page large. */
const maxValues = 500
/** Objects and lists up to this depth are open at first. */
const openDepth = 2

/** The tree of the value; undefined for a value without parts, and for one with too many. */
export function jsonTree(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return countValues(value, maxValues) > maxValues ? undefined : treeNode(value, 0)
}

/** Counts up to the limit. */
function countValues(value: JsonValue, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const part of Object.values(value)) {
    count += countValues(part, most - count)
    if (count > most) return count
  }
  return count
}

/** The summary has the number of parts: `{3}` of an object, `[3]` of a list. */
function treeNode(value: JsonValue, depth: number, label = ''): string {
  if (typeof value !== 'object' || value === null) {
    return `${label}<code>${escapeText(JSON.stringify(value))}</code>`
  }
  const parts = Object.entries(value)
  const isList = Array.isArray(value)
  if (parts.length === 0) return `${label}<code>${isList ? '[]' : '{}'}</code>`
  const items = parts.map(([name, part]) => {
    const named = isList ? '' : `<b>${escapeText(name)}</b> `
    return `<li>${treeNode(part, depth + 1, named)}</li>`
  })
  const size = isList ? `[${parts.length}]` : `{${parts.length}}`
  return `<details class="tree"${depth < openDepth ? ' open' : ''}><summary>${label}${size}</summary><ul>${items.join('')}</ul></details>`
}

/** The JSON Schema that a value of the field must satisfy; undefined where every value is valid. */
export function schemaMarkup({ schema }: FieldModel): Markup | undefined {
  if (Object.keys(schema).length === 0) return undefined
  return html`<details class="schema" open><summary>JSON Schema</summary><pre tabindex="0"><code>${JSON.stringify(schema, null, 2)}</code></pre></details>`
}
