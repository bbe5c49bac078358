/** Keywords of JSON Schema whose usual implementation can take longer than the content deserves. */

import type { Ajv, AnySchemaObject, FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { excludeSurrogates } from './kinds/text.ts'
import { createBacktrackingBound } from './pattern-cost.ts'

/** How many ways of cutting texts are tried in one validation, for patterns that are not linear. */
const maxWork = 20_000_000
let work = 0

/** Begins a validation: what patterns may cost is counted from here. */
export function beginValidation(): void {
  work = 0
}

/** Whether a pattern is one of ours, judged by the schema that it stands in. */
export type IsTrustedSchema = (schema: AnySchemaObject) => boolean

/** Puts the keywords in the place of those that the validator has. Patterns of ours cost nothing. */
export function addBoundedKeywords(ajv: Ajv | Ajv2020, isOurs: IsTrustedSchema): void {
  for (const definition of [patternKeyword(isOurs), uniqueItems]) {
    ajv.removeKeyword(definition.keyword as string)
    ajv.addKeyword(definition)
  }
}

/** Runs only on texts that `maxLength` beside it admits, and not on more than a validation may. */
function patternKeyword(isOurs: IsTrustedSchema): FuncKeywordDefinition {
  return {
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    compile(source: string, beside) {
      const expression = new RegExp(excludeSurrogates(source), 'u')
      const longest = 2 * (beside.maxLength ?? Number.POSITIVE_INFINITY)
      let ways: ((length: number) => number) | undefined = isOurs(beside) ? () => 0 : undefined
      const validate: SchemaValidateFunction = (text: string) => {
        // Too long by any count: `maxLength` refuses it.
        if (text.length > longest) return true
        ways ??= createBacktrackingBound(source)
        work += ways(text.length)
        const excess = work > maxWork
        if (!excess && expression.test(text)) return true
        validate.errors = [{ keyword: excess ? 'x-patternWork' : 'pattern', params: {} }]
        return false
      }
      return validate
    },
  }
}

/** Compares each item with all before it at once, by its text. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile(wanted: boolean) {
    const validate: SchemaValidateFunction = (items: readonly unknown[]) => {
      const repetition = wanted ? findDuplicate(items) : undefined
      if (!repetition) return true
      validate.errors = [{ keyword: 'uniqueItems', params: repetition }]
      return false
    }
    return validate
  },
}

function findDuplicate(items: readonly unknown[]): { i: number; j: number } | undefined {
  const places = new Map<string, number>()
  for (const [j, item] of items.entries()) {
    const text = canonicalText(item)
    const i = places.get(text)
    if (i !== undefined) return { i, j }
    places.set(text, j)
  }
  return undefined
}

/** The same for equal values, and only for them: members stand in the order of their names. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one
    const members = Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(members)
  })
}
