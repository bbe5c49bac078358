/** Compiles JSON Schemas (2020-12) of users with Ajv, which is loaded with the first one. */

import { createRequire } from 'node:module'
import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { type FindViolations, ownKeywords } from './kind-schema.ts'
import type { JsonSchema } from './model.ts'
import { createPatternCheck, findDuplicate } from './schema-keywords.ts'

/**
 * Compiles the schema, which `findSchemaFault` has no fault of. All violations are found; of a large value the first one
 * only.
 */
export function compileUserSchema(schema: JsonSchema): FindViolations {
  const findAll = compileWith(schema, { allErrors: true })
  let findFirst: FindViolations | undefined
  return (value) => {
    if (!isLarge(value)) return findAll(value)
    findFirst ??= compileWith(schema, { allErrors: false })
    return findFirst(value)
  }
}

/** Each schema has an instance of its own, because the $id of two schemas may be the same. */
function compileWith(schema: JsonSchema, options: { readonly allErrors: boolean }): FindViolations {
  const validate = createAjv(options).compile(schema)
  return (value) => (validate(value) ? [] : (validate.errors ?? []))
}

/** JSON with more values than this is validated up to the first fault only. */
const maxThoroughValues = 1000

function isLarge(value: unknown): boolean {
  return countValues(value, maxThoroughValues) > maxThoroughValues
}

/** Counts nested values, and stops beyond the limit. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const one of Object.values(value)) {
    count += countValues(one, limit - count)
    if (count > limit) break
  }
  return count
}

/** Returns why the schema of a user cannot be compiled; undefined when it can. */
export function findSchemaFault(schema: JsonSchema): string | undefined {
  // Ajv would return a promise, which is truthy.
  if (Object.hasOwn(schema, '$async')) return "'$async' is not supported"
  try {
    createAjv({ allErrors: true }).compile(structuredClone(schema))
    return undefined
  } catch (cause) {
    return (cause as Error).message
  }
}

type CompileKeyword = NonNullable<FuncKeywordDefinition['compile']>

const load = createRequire(import.meta.url)

/**
 * Schemas of users may omit types; unknown keywords are refused. Formats are annotations (JSON Schema
 * 2020-12 Validation §7.2.1).
 */
function createAjv({ allErrors }: { readonly allErrors: boolean }): Ajv2020 {
  const { Ajv2020: Validation } = load('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }
  const ajv = new Validation({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    validateFormats: false,
    allErrors,
    ownProperties: true,
    verbose: true,
    logger: false,
  })
  for (const [keyword, { limits, accepts }] of Object.entries(ownKeywords)) {
    // Ajv compiles only limits that fit their schema.
    ajv.addKeyword({
      keyword,
      type: 'string',
      metaSchema: limits,
      compile: accepts as CompileKeyword,
    })
  }
  for (const bounded of [pattern, uniqueItems]) {
    ajv.removeKeyword(bounded.keyword as string)
    ajv.addKeyword(bounded)
  }
  return ajv
}

const pattern: FuncKeywordDefinition = {
  keyword: 'pattern',
  type: 'string',
  schemaType: 'string',
  compile(source: string, { maxLength }) {
    const check = createPatternCheck(source, { maxLength, isTrusted: false })
    const validate: SchemaValidateFunction = (text: string) => {
      const keyword = check(text)
      if (keyword === undefined) return true
      validate.errors = [{ keyword, params: {} }]
      return false
    }
    return validate
  },
}

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
