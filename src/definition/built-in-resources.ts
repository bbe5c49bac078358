/** The resources and tables that the service declares itself: those of accounts, of queued work and of uploads. */

import {
  createUploadPartsResource,
  createUploadsResource,
  uploadPartsTable,
  uploadsTable,
} from '../features/files/uploads-resource.ts'
import { declareJobs } from '../features/logic/jobs/jobs-resource.ts'
import {
  declareInvitations,
  type InvitationsSettings,
} from '../features/mail/invitations/invitations-resource.ts'
import { createMailsResource, mailsTable } from '../features/mail/mails-resource.ts'
import { declareWebhooks, type WebhooksSettings } from '../features/webhooks/webhooks-resource.ts'
import { accountSubjectsTable, createAccountSubjectsResource } from './account-subjects-resource.ts'
import { codeAttemptsTable, createCodeAttemptsResource } from './code-attempts-resource.ts'
import { createCredentialsResource, credentialsTable } from './credentials-resource.ts'
import type { DeclaredTable } from './declared-table.ts'
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
  /** The name in `accounts.resource`. */
  readonly accounts: string | undefined
  /** Whether the service sends mail. */
  readonly hasMail: boolean
  /** Whether people can sign in with providers. */
  readonly hasProviders: boolean
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
  options: BuiltInOptions,
  faults: FaultList,
): ReadonlyMap<string, DeclaredResource> {
  const { accounts, hasMail, hasProviders, hasVersions, administrators, logic, paths } = options
  const hasAccounts = accounts !== undefined && declarations.has(accounts)
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
  if (hasAccounts) {
    const credentials = createCredentialsResource({ accounts, administrators, hasProviders })
    own.push(
      { table: tokensTable, resource: createTokensResource(accounts, scopedCollections) },
      { table: accountSubjectsTable, resource: createAccountSubjectsResource(accounts) },
      { table: credentialsTable, resource: credentials, isDescribed: options.needsSecondFactor },
      { table: codeAttemptsTable, resource: createCodeAttemptsResource(accounts) },
      ...declareWebhooks({
        accounts,
        collections,
        hasVersions,
        settings: options.webhooks,
        path: paths.webhooks,
      }),
    )
  }
  if (hasAccounts && hasMail) {
    own.push(
      { table: mailsTable, resource: createMailsResource(accounts) },
      declareInvitations({ accounts, administrators, settings: options.invitations }),
    )
  }
  if (hasJobs) {
    own.push(declareJobs({ accounts: hasAccounts ? accounts : undefined, administrators }))
  }
  if (hasAccounts || code.some(queuesWork)) {
    own.push(
      { table: cursorsTable, resource: createCursorsResource() },
      { table: queueTable, resource: createQueueResource() },
    )
  }
  if (hasFiles) {
    own.push(
      { table: uploadsTable, resource: createUploadsResource() },
      { table: uploadPartsTable, resource: createUploadPartsResource() },
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
