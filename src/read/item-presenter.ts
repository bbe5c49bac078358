/**
 * An item as its reader will see it, with what leads on from it: the links, and for formats that
 * show them the actions. What can be asked with the record is; the rest is asked after it.
 */

import { areLastAdmins, isAdmin } from '../access/last-admin.ts'
import type { Rights } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsAt, type ServiceContext } from '../context/service-context.ts'
import { FIRST_FIELD_INDEX, IDENTITY } from '../definition/model.ts'
import { withPageChrome } from '../html-pages/page-chrome.ts'
import type { Link } from '../http/link.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import type { MaybePromise } from '../store/store.ts'
import type { Action } from '../view/hypermedia.ts'
import {
  type ActionContext,
  actionConditions,
  findDeleteAction,
  findEditAction,
  findOpenTransitions,
  type OpenTransition,
} from '../view/item-actions.ts'
import { createLinkBuilder } from '../view/item-links.ts'
import { dependsOnColumns, type RequiredValues } from '../view/required-values.ts'
import { type CheckResults, type FieldSelector, isRowDependent } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'
import { isDeletionBlocked } from './deletion-check.ts'
import { applyTransitions } from './transition-values.ts'

export interface ItemPresenter {
  /** What to ask together with the record. */
  readonly conditions: readonly Condition[]
  present(row: Row, holds: CheckResults): MaybePromise<PresentedItem>
}

export interface PresentedItem {
  readonly view: ItemView
  /** Worked out when they are sent: a 304 has none. */
  links(): readonly Link[]
}

export function itemPresenter(
  context: RequestContext,
  selector: FieldSelector,
  rights: Rights,
): ItemPresenter {
  const { service, caller, format } = context
  const { model } = service
  const { resource } = selector
  const linking = createLinkBuilder(model, resource, caller)
  const acts = format.hypermedia === 'actions' ? actionConditions(rights) : []
  return {
    conditions:
      linking.conditions.length + acts.length === 0
        ? selector.conditions
        : [...selector.conditions, ...linking.conditions, ...acts],
    present(row, holds) {
      const shape = selector.shapeOf(holds)
      const view: ItemView = { kind: 'item', row, shape }
      if (!format.hypermedia) return { view, links: () => linking.buildLinks(row, shape, holds) }
      const links = linking.buildLinks(row, shape, holds)
      return withActions(context, { view, links }, { model, resource, caller, rights, holds, row })
    },
  }
}

/** With what may be done to it, for formats that say so. */
async function withActions(
  context: RequestContext,
  { view, links }: { readonly view: ItemView; readonly links: readonly Link[] },
  actionContext: ActionContext,
): Promise<PresentedItem> {
  const { service, format, origin } = context
  const relations = relationsAt(service, origin)
  const actions = format.hypermedia === 'actions' ? await actionsOf(service, actionContext) : []
  const whole = await withPageChrome(context, {
    ...view,
    hypermedia: { links, actions, relations },
  })
  return { view: whole, links: () => links }
}

async function actionsOf(
  service: ServiceContext,
  withoutRoles: ActionContext,
): Promise<readonly Action[]> {
  const requiredValues = await requiredRoles(service, withoutRoles)
  const context: ActionContext = { ...withoutRoles, requiredValues }
  const deletion = findDeleteAction(context)
  const held = deletion && (await isDeletionBlocked(service, context.resource, context.row))
  const open = await Promise.all(
    findOpenTransitions(context).map(async (one) =>
      (await isTransitionPermitted(service, context, one)) ? [one] : [],
    ),
  )
  const taken = open.flat().map(({ action }) => action)
  return [findEditAction(context), deletion && !held ? deletion : undefined, ...taken].filter(
    (action) => action !== undefined,
  )
}

/** The last administrator keeps its role. Of a list of roles no form can say so. */
async function requiredRoles(
  { model, store }: ServiceContext,
  { resource, row }: ActionContext,
): Promise<RequiredValues> {
  const { accounts } = model
  const roles = accounts?.roles
  if (resource !== accounts?.resource || roles?.kind !== 'choice') return new Map()
  const last =
    isAdmin(accounts, row) && (await areLastAdmins(model, store, [String(row[IDENTITY])]))
  return last ? new Map([[roles.name, [accounts.adminRole]]]) : new Map()
}

/** Whether the caller could have written the result; where the rule looks at what changes. */
async function isTransitionPermitted(
  { store, clock }: ServiceContext,
  { resource, rights, row }: ActionContext,
  { field, transition }: OpenTransition,
): Promise<boolean> {
  const changed = new Set([field.name, ...transition.sets.keys()])
  if (!isRowDependent(rights.update) || !dependsOnColumns(rights.update, changed)) return true
  const width = FIRST_FIELD_INDEX + resource.fields.length
  const after = row.slice(FIRST_FIELD_INDEX, width)
  after[field.index - FIRST_FIELD_INDEX] = field.encode(transition.to)
  const moment = new Date(clock.now()).toISOString()
  // What it requires may still come with the request, so it is not judged here.
  const set = { ...transition, requires: [] }
  const values = applyTransitions(resource, [set], after, moment)
  return store.satisfies(
    resource.name,
    [...row.slice(0, FIRST_FIELD_INDEX), ...values],
    rights.update,
  )
}
