/**
 * The indexes of lists under a read rule that leads to rows by a reference, as `exists` does for the rows of a tenant.
 * Each index of the resource is added with this reference first, so that a filter or an order reads only rows that the
 * rule leads to.
 */

import { parseOptionalRule } from './parse-rules.ts'
import type { DeclaredResource } from './resource-declaration.ts'
import { ITEM_ITSELF, isDynamicValue, type Rule, splitPath } from './rule.ts'

type Declarations = ReadonlyMap<string, DeclaredResource>

/** Returns the declarations with the indexes, as if the option `index` named them. */
export function withTenantIndexes(declarations: Declarations): Declarations {
  return new Map([...declarations].map(([name, declaration]) => [name, withIndexes(declaration)]))
}

function withIndexes(declaration: DeclaredResource): DeclaredResource {
  const references = declaration.fields
    .filter(({ declared }) => declared.kind.reference === 'one')
    .map(({ name }) => name)
  const leads = findReadLeads(declaration).filter((name) => references.includes(name))
  if (leads.length === 0) return declaration
  const declared = (declaration.options.index ?? []).map((names) => [names].flat())
  const indexes = [...declared, ...references.map((name) => [name])]
  const added = [...new Set(leads)].flatMap((lead) =>
    indexes.filter((names) => !names.includes(lead)).map((names) => [lead, ...names]),
  )
  return { ...declaration, options: { ...declaration.options, index: [...declared, ...added] } }
}

function findReadLeads({ options }: DeclaredResource): readonly string[] {
  const rule = parseOptionalRule(options.access?.read, () => {})
  return (rule && findLeads(rule)) ?? []
}

/** The fields from which the rule leads to rows; undefined where it can hold for other rows too. */
function findLeads(rule: Rule): readonly string[] | undefined {
  switch (rule.kind) {
    case 'any': {
      const leads = rule.of.map(findLeads)
      return leads.includes(undefined) ? undefined : leads.flatMap((names) => names ?? [])
    }
    case 'all':
      return rule.of.map(findLeads).find((names) => names !== undefined && names.length > 0)
    case 'owner':
      return rule.path.length === 1 ? rule.path : undefined
    case 'where': {
      const varying = Object.entries(rule.fields).find(
        ([, value]) => isDynamicValue(value) && value.kind !== 'its',
      )
      return varying && splitPath(varying[0]).length === 1 ? [varying[0]] : undefined
    }
    case 'exists': {
      const own = Object.values(rule.fields).find((value) => isDynamicValue(value) && value.kind === 'its')
      const [first = ITEM_ITSELF] = own && isDynamicValue(own) && own.kind === 'its' ? own.path : []
      return first === ITEM_ITSELF ? [] : [first]
    }
    case 'not':
      return undefined
    default:
      // These hold for all rows or for none, or for the caller's account.
      return []
  }
}
