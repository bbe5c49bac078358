/** Small definitions for the tests of declare/. */

import { DefinitionFault, type Fault } from '../../src/definition/definition-fault.ts'
import type { Field } from '../../src/definition/field.ts'
import { email } from '../../src/definition/kinds/email.ts'
import { password } from '../../src/definition/kinds/password.ts'
import type { Model, ResourceModel } from '../../src/definition/model.ts'
import { type Resource, type ResourceOptions, resource } from '../../src/definition/resource.ts'
import { service } from '../../src/definition/service-definition.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'

/** Options as JavaScript users may write them, whatever the types say. */
export type Loose = Readonly<Record<string, unknown>>

export const accounts = { resource: 'users', login: 'email', password: 'password' }

export function users(fields: Readonly<Record<string, Field>> = {}, options: Loose = {}): Resource {
  const own = { email: email().unique(), password: password() }
  return loose({ ...own, ...fields }, options)
}

/** The model of one resource `things` with these fields. */
export function things(fields: Loose, options: Loose = {}): ResourceModel {
  return modelOf({ things: loose(fields, options) }).resources.get('things')!
}

export function loose(fields: Loose, options: Loose = {}): Resource {
  return resource(fields as Record<string, Field>, options as ResourceOptions)
}

export function modelOf(resources: Loose, options: Loose = {}): Model {
  return checkDefinition(definitionOf(resources, options))
}

export function definitionOf(resources: Loose, options: Loose = {}) {
  return service({ title: 'Test', ...options, resources: resources as Record<string, Resource> })
}

/** What is wrong with a definition; fails where nothing is. */
export function faultsOf(resources: Loose, options: Loose = {}): readonly Fault[] {
  try {
    modelOf(resources, options)
  } catch (error) {
    if (error instanceof DefinitionFault) return error.faults
    throw error
  }
  throw new Error('The definition has no fault.')
}

/** The one fault of a definition, as `place: reason suggestion`. */
export function faultOf(resources: Loose, options: Loose = {}): string {
  const faults = faultsOf(resources, options)
  if (faults.length !== 1) throw new Error(`One fault expected: ${JSON.stringify(faults)}`)
  const { resource: name, field, reason, suggestion } = faults[0]!
  const place = [name, field].filter((part) => part !== undefined).join('.')
  return [place === '' ? '' : `${place}:`, reason, suggestion].filter(Boolean).join(' ')
}

export function faultOfField(field: unknown): string {
  return faultOf({ things: loose({ thing: field }) })
}
