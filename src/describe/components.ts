/**
 * The shared parts of an OpenAPI document. A part is described when it is first referred to, so
 * that each is described once and none is left unused.
 */

import type { JsonSchema } from '../definition/model.ts'
import type { Pieces } from '../tools/time-slices.ts'

const sections = ['schemas', 'responses', 'parameters', 'headers'] as const
export type Section = (typeof sections)[number]

export interface Components {
  /** A reference to the part of this name; `describe` makes it, unless it is there already. */
  refer(section: Section, name: string, describe: () => JsonSchema): JsonSchema
  /** The names of the parts so far. */
  names(section: Section): readonly string[]
  /** The members of `components` as JSON text, in pieces. */
  formatSections(): Pieces
}

export function createComponents(): Components {
  const made = new Map(sections.map((section) => [section, new Map<string, string>()]))
  const partsIn = (section: Section) => made.get(section) as Map<string, string>
  return {
    refer(section, name, describe) {
      const parts = partsIn(section)
      if (!parts.has(name)) {
        // Its place is taken first, since a part may refer to itself.
        parts.set(name, '')
        parts.set(name, JSON.stringify(describe()))
      }
      return { $ref: `#/components/${section}/${name}` }
    },
    names: (section) => [...partsIn(section).keys()],
    *formatSections() {
      for (const [at, section] of sections.entries()) {
        yield `${at === 0 ? '' : ','}"${section}":{`
        let separator = ''
        for (const part of partsIn(section)) {
          yield separator + formatMember(part)
          separator = ','
        }
        yield '}'
      }
    },
  }
}

/** A member of a JSON object whose value is JSON text. */
export function formatMember([name, text]: readonly [string, string]): string {
  return `${JSON.stringify(name)}:${text}`
}
