/**
 * An item as its reader will see it, with what leads on from it: the links, and for formats that
 * show them the actions. What can be asked with the record is; the rest is asked after it.
 */

import { areAllAdmins, isAdmin } from '../access/last-admin.ts'
import type { Rights } from '../access/rights.ts'
import { FIRST_FIELD, IDENTITY } from '../declare/model.ts'
import type { Link } from '../http/link.ts'
import type { Condition } from '../store/condition.ts'
import type { Awaitable, Row } from '../store/store.ts'
import {
  type Actor,
  actionAsks,
  deletionOf,
  editOf,
  type OpenTransition,
  transitionsOf,
} from '../view/actions.ts'
import { type Demands, mentions } from '../view/demand.ts'
import type { Action } from '../view/hypermedia.ts'
import { linkingOf } from '../view/linking.ts'
import { type Holds, isDoubtful, type Lens } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import { isHeld } from './holding.ts'
import { framed } from './pages/frame.ts'
import { relationsAt } from './relations-uri.ts'
import { afterTransitions } from './transition.ts'

export interface Prospect {
  /** What to ask together with the record. */
  readonly asks: readonly Condition[]
  see(row: Row, holds: Holds): Awaitable<Seen>
}

export interface Seen {
  readonly view: ItemView
  /** Worked out when they are sent: a 304 has none. */
  links(): readonly Link[]
}

export function prospectOf(errand: Errand, lens: Lens, rights: Rights): Prospect {
  const { context, who, format } = errand
  const { model } = context
  const { resource } = lens
  const linking = linkingOf(model, resource, who)
  const acts = format.hypermedia === 'actions' ? actionAsks(rights) : []
  return {
    asks:
      linking.asks.length + acts.length === 0
        ? lens.asks
        : [...lens.asks, ...linking.asks, ...acts],
    see(row, holds) {
      const shape = lens.shapeOf(holds)
      const view: ItemView = { kind: 'item', row, shape }
      if (!format.hypermedia) return { view, links: () => linking.linksOf(row, shape, holds) }
      const links = linking.linksOf(row, shape, holds)
      return seeFurther(errand, { view, links }, { model, resource, who, rights, holds, row })
    },
  }
}

/** With what may be done to it, for formats that say so. */
async function seeFurther(
  errand: Errand,
  { view, links }: { readonly view: ItemView; readonly links: readonly Link[] },
  actor: Actor,
): Promise<Seen> {
  const { context, format, origin } = errand
  const relations = relationsAt(context, origin)
  const actions = format.hypermedia === 'actions' ? await actionsOf(context, actor) : []
  const whole = await framed(errand, { ...view, hypermedia: { links, actions, relations } })
  return { view: whole, links: () => links }
}

async function actionsOf(context: Context, who: Actor): Promise<readonly Action[]> {
  const actor = { ...who, demands: await roleDemands(context, who) }
  const deletion = deletionOf(actor)
  const held = deletion && (await isHeld(context, actor.resource, actor.row))
  const open = await Promise.all(
    transitionsOf(actor).map(async (one) => ((await leadsOn(context, actor, one)) ? [one] : [])),
  )
  const taken = open.flat().map(({ action }) => action)
  return [editOf(actor), deletion && !held ? deletion : undefined, ...taken].filter(
    (action) => action !== undefined,
  )
}

/** The last administrator keeps its role. Of a list of roles no form can say so. */
async function roleDemands({ model, store }: Context, { resource, row }: Actor): Promise<Demands> {
  const { accounts } = model
  const roles = accounts?.roles
  if (resource !== accounts?.resource || roles?.kind !== 'choice') return new Map()
  const last = isAdmin(accounts, row) && (await areAllAdmins(model, store, [String(row[IDENTITY])]))
  return last ? new Map([[roles.name, [accounts.adminRole]]]) : new Map()
}

/** Whether the caller could have written the result; where the rule looks at what changes. */
async function leadsOn(
  { store, clock }: Context,
  { resource, rights, row }: Actor,
  { field, transition }: OpenTransition,
): Promise<boolean> {
  const changed = new Set([field.name, ...transition.sets.keys()])
  if (!isDoubtful(rights.update) || !mentions(rights.update, changed)) return true
  const width = FIRST_FIELD + resource.fields.length
  const after = row.slice(FIRST_FIELD, width)
  after[field.at - FIRST_FIELD] = field.encode(transition.to)
  const moment = new Date(clock.now()).toISOString()
  // What it requires may still come with the request, so it is not judged here.
  const set = { ...transition, requires: [] }
  const values = afterTransitions(resource, [set], after, moment)
  return store.wouldHold(resource.name, [...row.slice(0, FIRST_FIELD), ...values], rights.update)
}
