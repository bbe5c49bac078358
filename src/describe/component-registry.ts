/** The components of an OpenAPI document. A component is created with its first reference, so none is unused. */

import type { JsonSchema } from '../definition/model.ts'
import type { Pieces } from '../tools/time-slices.ts'

const sections = ['schemas', 'responses', 'parameters', 'headers'] as const
export type Section = (typeof sections)[number]

export interface Components {
  /** Returns a reference to the component; `describe` creates it the first time. */
  refer(section: Section, name: string, describe: () => JsonSchema): JsonSchema
  /** The names of the components so far. */
  names(section: Section): readonly string[]
  /** The members of `components` as JSON text, in pieces. */
  formatSections(): Pieces
}

export function createComponents(): Components {
  const components = new Map(sections.map((section) => [section, new Map<string, string>()]))
  const partsIn = (section: Section) => components.get(section) as Map<string, string>
  return {
    refer(section, name, describe) {
      const parts = partsIn(section)
      if (!parts.has(name)) {
        // Set first, because a component may refer to itself.
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

/** Returns a member of a JSON object, from its name and the JSON text of its value. */
export function formatMember([name, text]: readonly [string, string]): string {
  return `${JSON.stringify(name)}:${text}`
}
