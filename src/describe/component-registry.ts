/** The components of an OpenAPI document. A component exists once something refers to it, so none is unused. */

import type { JsonSchema } from '../definition/model.ts'
import type { Pieces } from '../tools/time-slices.ts'

/** In the order of the document: a component refers to components of its own section and of later ones. */
const sections = ['responses', 'parameters', 'headers', 'schemas'] as const
export type Section = (typeof sections)[number]

export interface Components {
  /** Returns a reference to the component; the `describe` of its first reference creates it. */
  refer(section: Section, name: string, describe: () => JsonSchema): JsonSchema
  /** The members of `components` as JSON text, in pieces; each component is created with its piece. */
  formatSections(): Pieces
}

export function createComponents(): Components {
  const components = new Map(sections.map((section) => [section, new Map<string, () => JsonSchema>()]))
  const done = new Set<Section>()
  return {
    refer(section, name, describe) {
      const parts = components.get(section) as Map<string, () => JsonSchema>
      if (!parts.has(name)) {
        if (done.has(section)) throw new Error(`The section ${section} is written without ${name}`)
        parts.set(name, describe)
      }
      return { $ref: `#/components/${section}/${name}` }
    },
    *formatSections() {
      for (const [section, parts] of components) {
        yield `${done.size === 0 ? '' : ','}"${section}":{`
        let separator = ''
        // The loop also reaches components that are added while it runs.
        for (const [name, describe] of parts) {
          yield separator + formatMember([name, JSON.stringify(describe())])
          separator = ','
        }
        yield '}'
        done.add(section)
      }
    },
  }
}

/** Returns a member of a JSON object, from its name and the JSON text of its value. */
export function formatMember([name, text]: readonly [string, string]): string {
  return `${JSON.stringify(name)}:${text}`
}
