/** Filling in the properties of a HAL-FORMS template, from what they say and nothing else. */

import fc from 'fast-check'

export interface Property {
  readonly name: string
  readonly type?: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly value?: unknown
  readonly regex?: string
  readonly min?: number | string
  readonly max?: number | string
  readonly step?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly placeholder?: string
  readonly schema?: unknown
  readonly options?: {
    readonly inline?: readonly unknown[]
    readonly link?: { readonly href: string }
    readonly valueField?: string
    readonly minItems?: number
    readonly maxItems?: number
  }
}

export interface Filler {
  readonly random: () => number
  /** The items that a reference may be chosen from. */
  readonly choose: (href: string) => Promise<readonly Record<string, unknown>[]>
  /** Whether the values that are there are kept, but for some. */
  readonly keep: boolean
}

/** The values to send; undefined where something required has nothing to choose from. */
export async function fill(
  properties: readonly Property[],
  filler: Filler,
): Promise<Record<string, unknown> | undefined> {
  const values: Record<string, unknown> = {}
  for (const property of properties) {
    const kept = property.readOnly || (filler.keep && filler.random() < 0.7)
    if (kept && property.value !== undefined) values[property.name] = property.value
    else if (property.required || filler.random() < 0.5) {
      const value = await valueIn(property, filler)
      if (value !== undefined) values[property.name] = value
      else if (property.required) return undefined
    }
  }
  return values
}

async function valueIn(property: Property, filler: Filler): Promise<unknown> {
  const { options } = property
  if (options?.link) {
    const items = await filler.choose(options.link.href)
    return pick(items, filler)?.[options.valueField ?? 'value']
  }
  const several = options && options.maxItems !== 1
  if (several) {
    const count = Math.max(options.minItems ?? 0, Math.min(2, options.maxItems ?? 2))
    const { options: _, ...single } = property
    const one = () => (options.inline ? pick(options.inline, filler) : textOrNumber(single, filler))
    return [...new Set(Array.from({ length: count }, one))]
  }
  if (options?.inline) return pick(options.inline, filler)
  return textOrNumber(property, filler)
}

function textOrNumber(property: Property, { random }: Filler): unknown {
  const { type, regex, schema, placeholder } = property
  if (schema !== undefined) return { made: random() }
  if (type === 'number') return between(property, random)
  if (type === 'date') return '2026-02-28'
  if (type === 'email') return `${wordOf(random)}@example.org`
  if (type === 'url') return `https://example.org/${wordOf(random)}`
  if (regex !== undefined) return matching(property, random)
  if (placeholder !== undefined) return placeholder
  return fitted(`${wordOf(random)} ${wordOf(random)}`, property)
}

function between({ min = 0, max = 1000 }: Property, random: () => number): number {
  const least = Math.max(Number(min), -1000)
  return Math.floor(least + random() * Math.min(Number(max) - least, 1000))
}

/** Long enough not to be taken, where it can be. */
function matching(property: Property, random: () => number): string {
  const { regex = '', maxLength = 40, min = Number.NaN, max = Number.NaN } = property
  const seed = Math.floor(random() * 2 ** 31)
  const texts = fc.sample(fc.stringMatching(new RegExp(regex, 'u')), { numRuns: 50, seed })
  const fitting = texts.filter(
    (text) => text.length <= maxLength && !(Number(text) < Number(min)) && !(Number(text) > Number(max)),
  )
  return fitting.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

function fitted(text: string, { minLength = 0, maxLength = 1000 }: Property): string {
  return text.padEnd(minLength, 'x').slice(0, maxLength)
}

function wordOf(random: () => number): string {
  return Math.floor(random() * 2 ** 48).toString(36)
}

function pick<T>(values: readonly T[], { random }: Filler): T | undefined {
  return values[Math.floor(random() * values.length)]
}
