/** Converts JSON Schemas to TypeScript types, as far as types can express them. */

import type { JsonSchema } from '../definition/model.ts'

/** Returns the text of the type, with members indented one level deeper than `level`. */
export function formatTypescriptType(schema: unknown, level: number): string {
  // `true` and `{}` allow anything.
  if (typeof schema !== 'object' || schema === null) return 'unknown'
  const { const: constant, enum: values, anyOf, oneOf, type } = schema as JsonSchema
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  const alternatives = anyOf ?? oneOf
  if (Array.isArray(alternatives)) return union(alternatives.map((one) => formatTypescriptType(one, level)))
  if (Array.isArray(type)) {
    return union(type.map((one) => formatTypescriptType({ ...(schema as JsonSchema), type: one }, level)))
  }
  return typeNamed(type, schema as JsonSchema, level)
}

function typeNamed(type: unknown, schema: JsonSchema, level: number): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type
    case 'integer':
      return 'number'
    case 'array':
      return `readonly ${element(formatTypescriptType(schema.items, level))}[]`
    case 'object':
      return objectType(schema, level)
    default:
      return 'unknown'
  }
}

function objectType(schema: JsonSchema, level: number): string {
  const properties = Object.entries((schema.properties ?? {}) as JsonSchema)
  const closed = schema.additionalProperties === false
  if (properties.length === 0) return closed ? '{}' : '{ readonly [name: string]: unknown }'
  const required = new Set((schema.required ?? []) as readonly string[])
  const indent = '  '.repeat(level + 1)
  const members = properties.map(([name, property]) => {
    const optional = required.has(name) ? '' : '?'
    return `${indent}readonly ${quotedName(name)}${optional}: ${formatTypescriptType(property, level + 1)}\n`
  })
  const rest = closed ? '' : `${indent}readonly [name: string]: unknown\n`
  return `{\n${members.join('')}${rest}${'  '.repeat(level)}}`
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function element(type: string): string {
  return type.includes(' | ') || type.startsWith('readonly ') ? `(${type})` : type
}

/** The name of a member, in quotes where it needs them. */
export function quotedName(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name)
}
