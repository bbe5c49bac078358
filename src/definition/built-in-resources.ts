/** The resources and tables that the service declares itself: those of accounts, and those of queued work. */

import { accountSubjectsName, createAccountSubjectsResource } from './account-subjects-resource.ts'
import type { BuiltInName } from './built-in-name.ts'
import { queuesWork } from './declared-hooks.ts'
import type { FaultList } from './definition-fault.ts'
import { createCursorsResource, createQueueResource, cursorsName, queueName } from './delivery-resources.ts'
import type { ResourceModel } from './model.ts'
import type { DeclaredLogic } from './parse-logic.ts'
import type { Resource } from './resource.ts'
import { builtInDeclaration, type DeclaredResource } from './resource-declaration.ts'
import type { Rule } from './rule.ts'
import { createTokensResource } from './tokens-resource.ts'
import {
  createDeliveriesResource,
  createWebhooksResource,
  deliveriesName,
  webhooksName,
} from './webhooks-resource.ts'

export interface BuiltInOptions {
  /** The name in `accounts.resource`, valid or not. */
  readonly accounts: unknown
  /** Who may have webhooks. */
  readonly webhooksBy: Rule
  /** The code of the definition, by resource. */
  readonly logic: ReadonlyMap<string, DeclaredLogic>
}

/** Adds the declarations of the built-in resources that the service needs. */
export function withBuiltInResources(
  declarations: ReadonlyMap<string, DeclaredResource>,
  { accounts, webhooksBy, logic }: BuiltInOptions,
  faults: FaultList,
): ReadonlyMap<string, DeclaredResource> {
  const hasAccounts = typeof accounts === 'string' && declarations.has(accounts)
  const collections = [...declarations.keys()]
  const own: Readonly<Partial<Record<BuiltInName, Resource>>> = {
    ...(hasAccounts && {
      tokens: createTokensResource(accounts, collections),
      [accountSubjectsName]: createAccountSubjectsResource(accounts),
      [webhooksName]: createWebhooksResource({ accounts, collections, by: webhooksBy }),
      [deliveriesName]: createDeliveriesResource(webhooksBy),
    }),
    ...((hasAccounts || logic.values().some((declared) => queuesWork(declared.logic))) && {
      [cursorsName]: createCursorsResource(),
      [queueName]: createQueueResource(),
    }),
  }
  const ownDeclarations = Object.entries(own).flatMap(([name, declared]) => {
    // The keys are the names.
    const declaration = builtInDeclaration(name as BuiltInName, declared, faults)
    return declaration ? [[name, declaration] as const] : []
  })
  return new Map([...declarations, ...ownDeclarations])
}

/** The field that shows the secret of a new item, once; undefined for resources without one. */
export function shownSecretOf({ builtIn }: Pick<ResourceModel, 'builtIn'>): string | undefined {
  return builtIn === 'tokens' ? 'token' : builtIn === webhooksName ? 'secret' : undefined
}

/** Tables that are not collections: they have no URI, or one below items of another collection. */
const ownTables: readonly BuiltInName[] = [accountSubjectsName, deliveriesName, cursorsName, queueName]

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
