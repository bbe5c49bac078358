/** Naive filters and orders over plain objects, to compare lists with. */

export interface Comparison {
  readonly path: string
  readonly operator: string
  readonly value: unknown
}

export type Tree =
  | Comparison
  | { readonly any: readonly Tree[] }
  | { readonly all: readonly Tree[] }
  | { readonly not: Tree }

export type Item = Readonly<Record<string, unknown>>
/** Finds the items that a relation leads to; undefined where the name is no relation. */
export type Find = (relation: string, item: Item) => readonly Item[] | undefined

export function holds(tree: Tree, item: Item, find: Find): boolean {
  if ('any' in tree) return tree.any.some((one) => holds(one, item, find))
  if ('all' in tree) return tree.all.every((one) => holds(one, item, find))
  if ('not' in tree) return !holds(tree.not, item, find)
  const values = valuesAt(tree.path.split('.'), item, find)
  if (tree.operator === 'missing') return (values.length === 0) === tree.value
  return values.some((value) => compares(tree, value))
}

const sets: ReadonlySet<string> = new Set(['editors', 'copies'])

function valuesAt([name = '', ...rest]: readonly string[], item: Item, find: Find): readonly unknown[] {
  const own = item[name]
  const isEmptySet = sets.has(name) && (own as readonly unknown[]).length === 0
  if (isEmptySet) return []
  if (rest.length === 0 && own !== undefined) return [own]
  const next = find(name, item) ?? []
  return rest.length === 0 ? next.map(({ id }) => id) : next.flatMap((one) => valuesAt(rest, one, find))
}

function compares({ path, operator, value: operand }: Comparison, value: unknown): boolean {
  const kind = kindOf(path)
  switch (operator) {
    case 'in':
      return (operand as unknown[]).some((one) => compare(kind, value, one) === 0)
    case 'has':
      return (value as unknown[]).includes(operand)
    case 'contains':
      return new RegExp(RegExp.escape(String(operand)), 'iu').test(String(value))
    case 'starts':
      return new RegExp(`^${RegExp.escape(String(operand))}`, 'iu').test(String(value))
    case 'eq':
      return compare(kind, value, operand) === 0
    case 'ne':
      return compare(kind, value, operand) !== 0
    case 'lt':
      return compare(kind, value, operand) < 0
    case 'lte':
      return compare(kind, value, operand) <= 0
    case 'gt':
      return compare(kind, value, operand) > 0
    default:
      return compare(kind, value, operand) >= 0
  }
}

type Kind = 'text' | 'number' | 'decimal' | 'moment'

function kindOf(path: string): Kind {
  const name = path.split('.').at(-1) ?? ''
  if (name === 'price') return 'decimal'
  if (name === 'due' || name.endsWith('At')) return 'moment'
  return ['pages', 'weight', 'floor', 'lent'].includes(name) ? 'number' : 'text'
}

function compare(kind: Kind, one: unknown, other: unknown): number {
  switch (kind) {
    case 'decimal':
      return sign(scaled(String(one)) - scaled(String(other)))
    case 'moment':
      return Math.sign(Date.parse(String(one)) - Date.parse(String(other)))
    case 'number':
      return Math.sign(Number(one) - Number(other))
    case 'text':
      return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
  }
}

/** With more fraction digits than any value. */
function scaled(value: string): bigint {
  const [integer = '', fraction = ''] = value.replace('-', '').split('.')
  return BigInt(integer + fraction.padEnd(10, '0')) * (value.startsWith('-') ? -1n : 1n)
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0
}

/** Missing values first ascending; ties by id, ascending. */
export function comparing(sort: readonly string[], find: Find): (one: Item, other: Item) => number {
  return (one, other) => {
    for (const term of [...sort, 'id']) {
      const path = term.replace('-', '')
      const [first, second] = [one, other].map((item) => valuesAt(path.split('.'), item, find)[0])
      const order = compareOptional(kindOf(path), first, second)
      if (order !== 0) return term.startsWith('-') ? -order : order
    }
    return 0
  }
}

function compareOptional(kind: Kind, one: unknown, other: unknown): number {
  if (one === undefined || other === undefined) {
    return Number(one !== undefined) - Number(other !== undefined)
  }
  return compare(kind, one, other)
}
