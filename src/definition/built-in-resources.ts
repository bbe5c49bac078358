/** The resources and tables that the service declares itself: those of accounts, of queued work and of uploads. */

import {
  createUploadPartsResource,
  createUploadsResource,
  uploadPartsTable,
  uploadsTable,
} from '../features/files/uploads-resource.ts'
import { createJobsResource, jobsName } from '../features/logic/jobs/jobs-resource.ts'
import {
  createInvitationsResource,
  type InvitationsDeclaration,
  invitationsName,
} from '../features/mail/invitations/invitations-resource.ts'
import { createMailsResource, mailsName } from '../features/mail/mails-resource.ts'
import {
  createDeliveriesResource,
  createWebhooksResource,
  deliveriesName,
  webhooksName,
} from '../features/webhooks/webhooks-resource.ts'
import { accountSubjectsName, createAccountSubjectsResource } from './account-subjects-resource.ts'
import type { BuiltInName } from './built-in-name.ts'
import { codeAttemptsName, createCodeAttemptsResource } from './code-attempts-resource.ts'
import { createCredentialsResource, credentialsName } from './credentials-resource.ts'
import type { FaultList } from './definition-fault.ts'
import { createCursorsResource, createQueueResource, cursorsName, queueName } from './delivery-resources.ts'
import { queuesWork, runsInBackground } from './logic/declared-hooks.ts'
import type { DeclaredLogic } from './logic/parse-logic.ts'
import type { ResourceModel } from './model.ts'
import type { MovableName, Paths } from './paths.ts'
import type { Resource } from './resource.ts'
import { builtInDeclaration, type DeclaredResource } from './resource-declaration.ts'
import type { Rule } from './rule.ts'
import { createTokensResource } from './tokens-resource.ts'

export interface BuiltInOptions {
  /** The name in `accounts.resource`, valid or not. */
  readonly accounts: unknown
  /** Whether the service sends mail. */
  readonly hasMail: boolean
  /** Whether people can sign in with providers. */
  readonly hasProviders: boolean
  /** Whether the definition has older versions of the interface. */
  readonly hasVersions: boolean
  /** Who may have webhooks. */
  readonly webhooksBy: Rule
  /** Who may invite, and the roles that an invitation can name. */
  readonly invitations: Pick<InvitationsDeclaration, 'by' | 'roles'>
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
  const { accounts, hasMail, hasProviders, hasVersions, webhooksBy, invitations, administrators } = options
  const { logic, paths } = options
  const hasAccounts = typeof accounts === 'string' && declarations.has(accounts)
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
  const own: Readonly<Partial<Record<BuiltInName, Resource>>> = {
    ...(hasAccounts && {
      tokens: createTokensResource(accounts, [
        ...collections,
        paths.webhooks,
        ...(hasJobs ? [paths.jobs] : []),
        ...(hasMail ? [paths.invitations] : []),
      ]),
      [accountSubjectsName]: createAccountSubjectsResource(accounts),
      [credentialsName]: createCredentialsResource({ accounts, administrators, hasProviders }),
      [codeAttemptsName]: createCodeAttemptsResource(accounts),
      [webhooksName]: createWebhooksResource({ accounts, collections, by: webhooksBy, hasVersions }),
      [deliveriesName]: createDeliveriesResource(paths.webhooks, webhooksBy),
    }),
    ...(hasAccounts &&
      hasMail && {
        [mailsName]: createMailsResource(accounts),
        [invitationsName]: createInvitationsResource({ accounts, administrators, ...invitations }),
      }),
    ...(hasJobs && {
      [jobsName]: createJobsResource({ accounts: hasAccounts ? accounts : undefined, administrators }),
    }),
    ...((hasAccounts || code.some(queuesWork)) && {
      [cursorsName]: createCursorsResource(),
      [queueName]: createQueueResource(),
    }),
    ...(hasFiles && {
      [uploadsTable]: createUploadsResource(),
      [uploadPartsTable]: createUploadPartsResource(),
    }),
  }
  const ownDeclarations = Object.entries(own).flatMap(([key, declared]) => {
    const builtIn = key as BuiltInName
    const name = isMovable(builtIn) ? paths[builtIn] : builtIn
    const declaration = builtInDeclaration(name, builtIn, declared, faults)
    if (!declaration) return []
    // A collection that was moved keeps its rows, unless another collection has its former name.
    const isMoved = name !== builtIn && !declarations.has(builtIn)
    const options = isMoved ? { ...declaration.options, formerly: [builtIn] } : declaration.options
    return [[name, { ...declaration, options }] as const]
  })
  return new Map([...declarations, ...ownDeclarations])
}

function isMovable(name: BuiltInName): name is BuiltInName & MovableName {
  return name === jobsName || name === webhooksName || name === invitationsName
}

function reportTakenName(faults: FaultList, name: string, reason: string): void {
  const suggestion = 'Choose another name, or move the built-in path by the option `paths`.'
  faults.at(name)(`The path /${name} is reserved: ${reason}.`, suggestion)
}

/** The field that shows the secret of a new item, once; undefined for resources without one. */
export function shownSecretOf({ builtIn }: Pick<ResourceModel, 'builtIn'>): string | undefined {
  return builtIn === 'tokens' ? 'token' : builtIn === webhooksName ? 'secret' : undefined
}

/** Tables that are not collections: they have no URI, or one below items of another collection. */
const ownTables: readonly BuiltInName[] = [
  accountSubjectsName,
  credentialsName,
  codeAttemptsName,
  mailsName,
  deliveriesName,
  cursorsName,
  queueName,
  uploadsTable,
  uploadPartsTable,
]

/** Splits the models into the collections and the tables of the service itself. */
export function splitOwnTables(models: ReadonlyMap<string, ResourceModel>): {
  readonly resources: ReadonlyMap<string, ResourceModel>
  readonly ownTables: ReadonlyMap<BuiltInName, ResourceModel>
} {
  const isOwn = ({ builtIn }: ResourceModel) => builtIn !== undefined && ownTables.includes(builtIn)
  return {
    resources: new Map([...models].filter(([, resource]) => !isOwn(resource))),
    ownTables: new Map(
      [...models.values()].flatMap((resource) =>
        resource.builtIn !== undefined && isOwn(resource) ? [[resource.builtIn, resource] as const] : [],
      ),
    ),
  }
}
