/**
 * Builds the view of an item: its visible fields, its links, and its actions for formats that show
 * them. The conditions it needs are evaluated by the store query that loads the row, where possible.
 */

import { areLastAdmins, isAdmin } from '../../access/last-admin.ts'
import type { Rights } from '../../access/rights.ts'
import { FIRST_FIELD_INDEX, IDENTITY, type Stored } from '../../definition/model.ts'
import type { Link } from '../../http/link.ts'
import type { Condition } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { findItemActions } from '../../views/declared-actions.ts'
import { findFileActions } from '../../views/file-actions.ts'
import type { Action, DeletionReason } from '../../views/hypermedia-controls.ts'
import {
  type ActionContext,
  actionConditions,
  findDeleteAction,
  findEditAction,
  findOpenTransitions,
  findOwnActions,
  type OpenTransition,
} from '../../views/item-actions.ts'
import { createLinkBuilder } from '../../views/item-links.ts'
import { createItemView } from '../../views/item-view.ts'
import { dependsOnColumns, type RequiredValues } from '../../views/required-values.ts'
import type { ItemView } from '../../views/view.ts'
import { type ConditionResult, type FieldSelector, isRowDependent } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri, type Unit } from '../context/service-context.ts'
import { findDeletionBlock } from './deletion-check.ts'
import { withElementLinks } from './element-links.ts'
import { applyTransitionEffects } from './transition-effects.ts'

export interface ItemPresenter {
  /** The conditions to evaluate on the row when it is loaded. */
  readonly conditions: readonly Condition[]
  /** The view of the row. `isTrue` has the results of the conditions. */
  present(row: Row, isTrue: ConditionResult): Promise<PresentedItem>
}

export interface PresentedItem {
  readonly view: ItemView
  /** Computed when they are sent: a 304 has none. */
  links(): readonly Link[]
}

/** The presenter of items of the selector's resource, for the caller and format of the request. */
export function itemPresenter(
  context: RequestContext,
  selector: FieldSelector,
  rights: Rights,
): ItemPresenter {
  const { service, caller, format } = context
  const { model } = service
  const { resource } = selector
  const linking = createLinkBuilder(model, resource, caller)
  const forActions = format.hypermedia === 'actions' ? actionConditions(rights) : []
  return {
    conditions:
      linking.conditions.length + forActions.length === 0
        ? selector.conditions
        : [...selector.conditions, ...linking.conditions, ...forActions],
    async present(row, isTrue) {
      const view = createItemView(row, selector, isTrue)
      const { visibleFields } = view
      if (!format.hypermedia) return { view, links: () => linking.buildLinks(row, visibleFields, isTrue) }
      const links = linking.buildLinks(row, visibleFields, isTrue)
      const actionContext = { model, resource, caller, rights, isTrue, row }
      return withHypermedia(context, { view, links }, actionContext)
    },
  }
}

/** Adds the links, and the actions for formats that show them, to the view. */
async function withHypermedia(
  context: RequestContext,
  { view, links }: { readonly view: ItemView; readonly links: readonly Link[] },
  actionContext: ActionContext,
): Promise<PresentedItem> {
  const { service, unit, format, origin } = context
  const relations = relationsBaseUri(service, origin)
  const { actions, block } =
    format.hypermedia === 'actions' ? await findActions(unit, actionContext) : { actions: [] }
  const hypermedia = { links, actions, relations, ...(block ? { deletionBlock: block } : {}) }
  const [linked = view] = await withElementLinks(unit, context.caller, [{ ...view, hypermedia }])
  return { view: linked, links: () => links }
}

/** The edit action of an item; undefined where the caller may not edit it. */
export async function loadEditAction(unit: Unit, context: ActionContext): Promise<Action | undefined> {
  return findEditAction({ ...context, requiredValues: await requiredRoles(unit, context) })
}

interface FoundActions {
  readonly actions: readonly Action[]
  /** Why the item cannot be deleted, where the caller may delete it. */
  readonly block?: DeletionReason | undefined
}

async function findActions(unit: Unit, withoutRoles: ActionContext): Promise<FoundActions> {
  const requiredValues = await requiredRoles(unit, withoutRoles)
  const context: ActionContext = { ...withoutRoles, requiredValues }
  const deletion = findDeleteAction(context)
  const block = deletion && (await findDeletionBlock(unit, context.resource, context.row))
  const permitted = await Promise.all(
    findOpenTransitions(context).map(async (transition) =>
      (await isTransitionPermitted(unit, context, transition)) ? [transition.action] : [],
    ),
  )
  const actions = [
    findEditAction(context),
    block ? undefined : deletion,
    ...permitted.flat(),
    ...findOwnActions(context),
    ...findItemActions(context),
    ...findFileActions(context),
  ].filter((action) => action !== undefined)
  return { actions, block }
}

/** The last administrator must keep the role and stay enabled. A form cannot express this for a list of roles. */
async function requiredRoles(
  { model, store }: Unit,
  { resource, row }: ActionContext,
): Promise<RequiredValues> {
  const { accounts } = model
  if (resource !== accounts?.resource || !isAdmin(accounts, row)) return new Map()
  if (!(await areLastAdmins(model, store, [String(row[IDENTITY])]))) return new Map()
  const { roles, adminRole, disabled } = accounts
  const required = new Map<string, readonly Stored[]>([[disabled.name, [0]]])
  return roles?.kind.choices === 'any' ? required.set(roles.name, [adminRole]) : required
}

/** Whether the caller may write the result of the transition. Evaluated only when the rule depends on a changed field. */
async function isTransitionPermitted(
  { store, clock }: Unit,
  { resource, rights, row }: ActionContext,
  { field, transition }: OpenTransition,
): Promise<boolean> {
  const changed = new Set([field.name, ...transition.sets.keys()])
  if (!isRowDependent(rights.update) || !dependsOnColumns(rights.update, changed)) return true
  const width = FIRST_FIELD_INDEX + resource.fields.length
  const after = row.slice(FIRST_FIELD_INDEX, width)
  after[field.index - FIRST_FIELD_INDEX] = field.encode(transition.to)
  const now = new Date(clock.now()).toISOString()
  // The required fields may come with the request, so they are not checked here.
  const withoutRequired = { ...transition, requires: [] }
  const values = applyTransitionEffects(resource, [withoutRequired], after, now)
  return store.satisfies(resource.name, [...row.slice(0, FIRST_FIELD_INDEX), ...values], rights.update)
}
