/** The resources and tables that the service declares itself: those of accounts, of queued work, and of features. */

import { codeAttemptsTable, createCodeAttemptsResource } from './code-attempts-resource.ts'
import { createCredentialsResource, credentialsTable } from './credentials-resource.ts'
import type { DeclaredTable } from './declared-table.ts'
import type { FaultList } from './definition-fault.ts'
import type { DeclaredService } from './definition-part.ts'
import { createCursorsResource, createQueueResource, cursorsTable, queueTable } from './delivery-resources.ts'
import { queuesWork } from './logic/declared-hooks.ts'
import { serviceName } from './logic/parse-logic.ts'
import type { ResourceModel } from './model.ts'
import { builtInDeclaration, type DeclaredResource } from './resource-declaration.ts'
import { createTokensResource, tokensTable } from './tokens-resource.ts'

export interface BuiltInOptions
  extends Pick<DeclaredService, 'accounts' | 'administrators' | 'logic' | 'paths'> {
  /** The tables of features. */
  readonly tables: readonly DeclaredTable[]
  /** Whether accounts with some roles must have a second factor. */
  readonly needsSecondFactor: boolean
}

/** Adds the declarations of the built-in resources that the service needs. */
export function withBuiltInResources(
  declarations: ReadonlyMap<string, DeclaredResource>,
  { tables, accounts, needsSecondFactor, administrators, logic, paths }: BuiltInOptions,
  faults: FaultList,
): ReadonlyMap<string, DeclaredResource> {
  const nameOf = ({ table }: DeclaredTable) => (table.movable ? paths[table.movable] : table.name)
  const own: DeclaredTable[] = []
  if (accounts !== undefined) {
    const collections = tables.filter(({ table }) => !table.internal).map(nameOf)
    const ofService = logic.get(serviceName)?.actions.length ? [serviceName] : []
    const scoped = [...declarations.keys(), ...collections, ...ofService]
    const credentials = createCredentialsResource({ accounts, administrators })
    own.push(
      { table: tokensTable, resource: createTokensResource(accounts, scoped) },
      { table: credentialsTable, resource: credentials, isDescribed: needsSecondFactor },
      { table: codeAttemptsTable, resource: createCodeAttemptsResource(accounts) },
    )
  }
  own.push(...tables)
  if (accounts !== undefined || logic.values().some(queuesWork)) {
    own.push(
      { table: cursorsTable, resource: createCursorsResource() },
      { table: queueTable, resource: createQueueResource() },
    )
  }
  const ownDeclarations = own.flatMap((declared) => {
    const { table } = declared
    const name = nameOf(declared)
    const declaration = builtInDeclaration(name, declared, faults)
    if (!declaration) return []
    // A collection that was moved keeps its rows, unless another collection has its former name.
    const isMoved = name !== table.name && !declarations.has(table.name)
    const options = isMoved ? { ...declaration.options, formerly: [table.name] } : declaration.options
    return [[name, { ...declaration, options }] as const]
  })
  return new Map([...declarations, ...ownDeclarations])
}

/** Splits the models into the collections and the tables of the service itself. */
export function splitOwnTables(models: ReadonlyMap<string, ResourceModel>): {
  readonly resources: ReadonlyMap<string, ResourceModel>
  readonly ownTables: ReadonlyMap<string, ResourceModel>
} {
  const { own = [], collections = [] } = Object.groupBy(models, ([, { traits }]) =>
    traits.internal ? 'own' : 'collections',
  )
  return { resources: new Map(collections), ownTables: new Map(own) }
}
