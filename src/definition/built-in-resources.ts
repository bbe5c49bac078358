/** The resources and tables that the service declares itself: those of accounts, of queued work, and of features. */

import { codeAttemptsTable, createCodeAttemptsResource } from './code-attempts-resource.ts'
import { createCredentialsResource, credentialsTable } from './credentials-resource.ts'
import type { DeclaredTable, DeclareTables, InvitationsSettings, WebhooksSettings } from './declared-table.ts'
import type { FaultList } from './definition-fault.ts'
import { createCursorsResource, createQueueResource, cursorsTable, queueTable } from './delivery-resources.ts'
import { queuesWork, runsInBackground } from './logic/declared-hooks.ts'
import type { DeclaredLogic } from './logic/parse-logic.ts'
import type { ResourceModel } from './model.ts'
import type { Paths } from './paths.ts'
import { builtInDeclaration, type DeclaredResource } from './resource-declaration.ts'
import type { Rule } from './rule.ts'
import { createTokensResource, tokensTable } from './tokens-resource.ts'

export interface BuiltInOptions {
  /** The tables of features. */
  readonly declareTables: DeclareTables
  /** The name in `accounts.resource`. */
  readonly accounts: string | undefined
  /** Whether the service sends mail. */
  readonly hasMail: boolean
  /** Whether the definition has older versions of the interface. */
  readonly hasVersions: boolean
  /** Whether accounts with some roles must have a second factor. */
  readonly needsSecondFactor: boolean
  readonly webhooks: WebhooksSettings
  readonly invitations: InvitationsSettings
  /** Who may read all jobs, and revoke credentials. */
  readonly administrators: Rule
  /** The code of the definition, by resource. */
  readonly logic: ReadonlyMap<string, DeclaredLogic>
  /** The names of the collections that can be moved. */
  readonly paths: Paths
}

/** Adds the declarations of the built-in resources that the service needs. */
export function withBuiltInResources(
  declarations: ReadonlyMap<string, DeclaredResource>,
  { declareTables, ...options }: BuiltInOptions,
  faults: FaultList,
): ReadonlyMap<string, DeclaredResource> {
  const { hasMail, administrators, logic, paths } = options
  const accounts = [...declarations.keys()].find((name) => name === options.accounts)
  const collections = [...declarations.keys()]
  const code = [...logic.values()]
  const hasJobs = code.some(runsInBackground)
  if (hasJobs && declarations.has(paths.jobs)) {
    reportTakenName(faults, paths.jobs, 'an action of the definition runs in the background')
  }
  const hasFiles = declarations
    .values()
    .some(({ fields }) =>
      fields.some(({ declared, item }) => (item?.declared ?? declared).kind.shape === 'file'),
    )
  if (hasFiles && declarations.has(paths.uploads)) {
    reportTakenName(faults, paths.uploads, 'the definition has files')
  }
  const scopedCollections = [
    ...collections,
    paths.webhooks,
    ...(hasJobs ? [paths.jobs] : []),
    ...(hasMail ? [paths.invitations] : []),
  ]
  const own: DeclaredTable[] = []
  if (accounts !== undefined) {
    const credentials = createCredentialsResource({ accounts, administrators })
    own.push(
      { table: tokensTable, resource: createTokensResource(accounts, scopedCollections) },
      { table: credentialsTable, resource: credentials, isDescribed: options.needsSecondFactor },
      { table: codeAttemptsTable, resource: createCodeAttemptsResource(accounts) },
    )
  }
  own.push(...declareTables({ ...options, accounts, collections, hasJobs, hasFiles }))
  if (accounts !== undefined || code.some(queuesWork)) {
    own.push(
      { table: cursorsTable, resource: createCursorsResource() },
      { table: queueTable, resource: createQueueResource() },
    )
  }
  const ownDeclarations = own.flatMap((declared) => {
    const { table } = declared
    const name = table.movable ? paths[table.movable] : table.name
    const declaration = builtInDeclaration(name, declared, faults)
    if (!declaration) return []
    // A collection that was moved keeps its rows, unless another collection has its former name.
    const isMoved = name !== table.name && !declarations.has(table.name)
    const options = isMoved ? { ...declaration.options, formerly: [table.name] } : declaration.options
    return [[name, { ...declaration, options }] as const]
  })
  return new Map([...declarations, ...ownDeclarations])
}

function reportTakenName(faults: FaultList, name: string, reason: string): void {
  const suggestion = 'Choose another name, or move the built-in path by the option `paths`.'
  faults.at(name)(`The path /${name} is reserved: ${reason}.`, suggestion)
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
