/**
 * `GET /{collection}/{id}/-/access?account=ID`: what an account may do with an item, and the rule that
 * allows or denies it, in words. For administrators.
 */

import { actorOf, type Principal } from '../../access/principal.ts'
import { type Rights, rightsOf } from '../../access/rights.ts'
import { compileRule } from '../../access/rule-condition.ts'
import { formatRule } from '../../access/rule-description.ts'
import { compileExistsTarget } from '../../access/value-condition.ts'
import {
  type FieldModel,
  IDENTITY,
  type JsonValue,
  type Model,
  type ResourceModel,
} from '../../definition/model.ts'
import type { Rule } from '../../definition/rule.ts'
import { csv } from '../../formats/csv.ts'
import { formatsFor } from '../../formats/formats.ts'
import { ndjson } from '../../formats/ndjson.ts'
import type { Link } from '../../http/link.ts'
import { parseAllParameters } from '../../query/query-parameter.ts'
import { all, type Condition, equals, never } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { readField } from '../../store/row-fields.ts'
import { listRows } from '../../store/table-rows.ts'
import { formAction } from '../../views/form-action.ts'
import { extensionRelation } from '../../views/link-relation.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { idOf, itemUri } from '../../views/uri.ts'
import type { ConditionResult } from '../../views/visible-fields.ts'
import { type Document, type DocumentQuery, uriWithoutFormat } from '../context/target.ts'
import { findById, hiddenItem } from '../read/find-item.ts'
import { absenceOf } from '../read/item-access.ts'
import { itemOfDocument, loadDocumentedItem } from '../read/item-of-document.ts'
import { accessExplanationSchema, accountParameter, explanationTable } from './access-explanation.ts'
import { accountLookup, loadNamedAccount, type NamedAccount } from './named-account.ts'

export const accessLookup = accountLookup('Explain', accountParameter)

export const accessExplanation: Document = {
  route: '/{collection}/{id}/-/access',
  summary: 'What an account may do with the item, and why',
  schema: accessExplanationSchema,
  name: 'access-explanation',
  table: explanationTable,
  personal: true,
  cache: 'no-store',
  hasEntityTag: false,
  formats: [...formatsFor('document'), csv, ndjson],
  operations: 'postedDocument',
  form: accessLookup,
  parameters: [accountParameter],
  async load(query) {
    const { service, target } = query
    const { model } = service
    const { resource, id } = itemOfDocument(query)
    const item = await loadDocumentedItem(query, [...rightsOf(resource, query.caller).visibility.values()])
    const named = new Map(parseAllParameters(target.query)).get(accountParameter)
    const account = named === undefined ? undefined : await loadNamedAccount(query, accountParameter, named)
    const isShown = (field: FieldModel) => item.isTrue(item.rights.visibility.get(field) ?? never)
    const data = account
      ? await explainAccess(query, { resource, id, account: account.principal, isShown })
      : []
    if (account) {
      await recordExplanation(query, [
        [resource, item.row],
        [account.resource, account.row],
      ])
    }
    const links = [
      { target: uriWithoutFormat(target), rel: 'self' },
      { target: itemUri(model, resource, item.row), rel: 'up' },
      ...(account ? [accountLink(model, account)] : []),
    ]
    const hypermedia = { links, actions: [formAction(model, accessLookup, '')] }
    return { data, hypermedia, item: item.view, subject: account?.login ?? '…' }
  },
}

function accountLink(model: Model, { resource, row, login }: NamedAccount): Link {
  return { target: itemUri(model, resource, row), rel: extensionRelation('account'), title: login }
}

interface ExplainedItem {
  readonly resource: ResourceModel
  readonly id: string
  readonly account: Principal
  /** Whether the administrator sees the field. */
  isShown(field: FieldModel): boolean
}

/** The explanations as JSON objects. One query evaluates the rights and all rules. */
async function explainAccess(
  query: DocumentQuery,
  item: ExplainedItem,
): Promise<readonly Readonly<Record<string, JsonValue>>[]> {
  const { resource, id, account, isShown } = item
  const questions = questionsFor(resource, rightsOf(resource, account), isShown).map((question) => ({
    ...question,
    alternatives: alternativesOf(question.rule).map((rule) => ({
      rule,
      words: formatRule(rule),
      condition: compileRule(rule, resource, account),
    })),
  }))
  const conditions = questions.flatMap(({ right, needed, alternatives }) => [
    right,
    ...(needed ? [needed.condition] : []),
    ...alternatives.map(({ condition }) => condition),
  ])
  const checks = createRowChecks(resource, conditions)
  const row = await findById(query.service.store, resource, id, checks.conditions)
  if (!row) throw await absenceOf({ ...query, unit: query.service }, resource, hiddenItem)
  const isTrue = checks.readResults(row)
  const entries: Readonly<Record<string, JsonValue>>[] = []
  for (const question of questions) {
    const holding: string[] = []
    for (const { rule, words, condition } of question.alternatives) {
      if (isTrue(condition)) holding.push(words + (await nameRecords(query, item, row, rule)))
    }
    entries.push(explain(question, holding, isTrue))
  }
  return entries
}

const maxNamedRecords = 3

/** The URIs of records that make an `exists` hold, as far as the administrator may read them. */
async function nameRecords(
  { service, caller }: DocumentQuery,
  { resource, account }: ExplainedItem,
  row: Row,
  rule: Rule,
): Promise<string> {
  if (rule.kind !== 'exists') return ''
  const { model, store } = service
  const { target, of, pairs } = compileExistsTarget(rule, { resource, caller: account })
  // A longer path would need rows that the administrator may not be able to read.
  if (!target.itemMethods.has('GET') || pairs.some(({ path }) => path.length > 1)) return ''
  const equal = pairs.map(({ path: [name = ''], column }) => {
    const value = name === '_identity' ? row[IDENTITY] : readField(resource, row, name)
    return value === null || value === undefined ? never : equals([column], value)
  })
  const found = await listRows(store, target, {
    condition: all([of, ...equal, rightsOf(target, caller).read]),
    limit: maxNamedRecords,
  })
  return found.length === 0 ? '' : ` (${found.map((one) => itemUri(model, target, one)).join(', ')})`
}

/** A right on the item, the rule that is declared for it, and the right that it needs besides. */
interface Question {
  readonly operation: string
  readonly name?: string
  readonly right: Condition
  readonly rule: Rule
  readonly needed?: { readonly name: string; readonly condition: Condition }
}

function questionsFor(
  resource: ResourceModel,
  rights: Rights,
  isShown: ExplainedItem['isShown'],
): readonly Question[] {
  const { access, history, actions } = resource
  const read = { name: 'read', condition: rights.read }
  const update = { name: 'update', condition: rights.update }
  const fields = resource.fields.filter(isShown)
  return [
    ...(['read', 'update', 'delete'] as const).map((operation) => ({
      operation,
      right: rights[operation],
      rule: access[operation],
    })),
    ...(history
      ? [{ operation: 'history', right: rights.history, rule: history.read ?? anyone, needed: read }]
      : []),
    ...fields.flatMap((field) => [
      ...question('see', field.name, rights.visibility.get(field), field.visibleTo, read),
      ...question('set', field.name, rights.writability.get(field), field.writableBy, update),
      ...(field.state?.transitions ?? []).flatMap((transition) =>
        question(
          'transition',
          transition.name,
          rights.transitions.get(transition),
          transition.by ?? anyone,
          update,
        ),
      ),
    ]),
    ...[...actions.values()]
      .filter(({ on }) => on === 'item')
      .flatMap((action) =>
        question(
          action.isSafe ? 'query' : 'action',
          action.name,
          rights.actions.get(action),
          action.by,
          read,
        ),
      ),
  ]
}

const anyone: Rule = { kind: 'anyone' }

/** The question about a part of an item; none where no rule is declared for it. */
function question(
  operation: string,
  name: string,
  right: Condition | undefined,
  rule: Rule | undefined,
  needed: NonNullable<Question['needed']>,
): readonly Question[] {
  return rule ? [{ operation, name, right: right ?? never, rule, needed }] : []
}

/** The alternatives of the rule: one must hold. */
function alternativesOf(rule: Rule): readonly Rule[] {
  return rule.kind === 'any' ? rule.of.flatMap(alternativesOf) : [rule]
}

function explain(
  { operation, name, right, rule, needed }: Question,
  holding: readonly string[],
  isTrue: ConditionResult,
): Readonly<Record<string, JsonValue>> {
  const allowed = isTrue(right) && (!needed || isTrue(needed.condition))
  const lacks = needed && !isTrue(needed.condition) ? [`The account lacks the right to ${needed.name}.`] : []
  const own =
    holding.length > 0
      ? `The rule holds: ${holding.join('; ')}.`
      : rule.kind === 'nobody'
        ? 'No rule allows it.'
        : `No rule holds: ${alternativesOf(rule).map(formatRule).join('; ')}.`
  return {
    operation,
    ...(name === undefined ? {} : { name }),
    allowed,
    rule: formatRule(rule),
    because: [...lacks, own].join(' '),
  }
}

/** Records in the audit whose access to which item was explained; the response waits for it. */
export async function recordExplanation(
  { service, caller }: Pick<DocumentQuery, 'service' | 'caller'>,
  rows: readonly (readonly [ResourceModel, Row])[],
): Promise<void> {
  const at = new Date(service.clock.now()).toISOString()
  const records = rows.map(([resource, row]) => ({
    kind: 'record' as const,
    event: 'access-explained' as const,
    table: resource.name,
    identity: String(row[IDENTITY]),
    id: idOf(resource, row),
    at,
  }))
  await service.store.write(records, { actor: actorOf(caller) })
}
