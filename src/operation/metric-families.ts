/** Prometheus' text format 0.0.4: counters, gauges and histograms, with labels in a fixed order. */

/** A counter, or a gauge without labels. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export interface HistogramFamily extends MetricFamily {
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[]
}

/** The values of a family's labels, in the order of their names. */
export type LabelValues = readonly string[]

/** One number of a counter; frequent users keep a reference to it. */
export interface Count {
  count: number
}

/** Counts by label values, as plain data for RPC. */
export type Counts = Map<string, Count>

export interface Distribution {
  /** The count of each bucket; the last has no upper bound. */
  readonly counts: number[]
  sum: number
}

/** Distributions by label values, as plain data for RPC. */
export type Distributions = Map<string, Distribution>

const separator = '\0'

export function keyOf(values: LabelValues): string {
  return values.join(separator)
}

/** The values of the labels in the key of a count or distribution. */
export function labelValuesOf(key: string): LabelValues {
  return key.split(separator)
}

/** The count under these labels, which is 0 at first. */
export function countAt(counts: Counts, values: LabelValues): Count {
  return findOrAdd(counts, keyOf(values), () => ({ count: 0 }))
}

/** The distribution under these labels, which is empty at first. */
export function distributionAt(
  distributions: Distributions,
  values: LabelValues,
  { buckets }: HistogramFamily,
): Distribution {
  return findOrAdd(distributions, keyOf(values), () => emptyDistribution(buckets.length + 1))
}

function emptyDistribution(size: number): Distribution {
  return { counts: new Array(size).fill(0), sum: 0 }
}

function findOrAdd<Value>(values: Map<string, Value>, key: string, create: () => Value): Value {
  const known = values.get(key)
  if (known !== undefined) return known
  const created = create()
  values.set(key, created)
  return created
}

export function observeValue(distribution: Distribution, { buckets }: HistogramFamily, value: number): void {
  let at = 0
  while (at < buckets.length && value > buckets[at]!) at += 1
  distribution.counts[at]! += 1
  distribution.sum += value
}

/** The sum of the counts of several processes. */
export function sumCounts(all: readonly Counts[]): Counts {
  const sum: Counts = new Map()
  for (const counts of all) {
    for (const [key, { count }] of counts) findOrAdd(sum, key, () => ({ count: 0 })).count += count
  }
  return sum
}

/** The sum of the distributions of several processes, with the same buckets. */
export function sumDistributions(all: readonly Distributions[]): Distributions {
  const sums: Distributions = new Map()
  for (const distributions of all) {
    for (const [key, { counts, sum }] of distributions) {
      const known = findOrAdd(sums, key, () => emptyDistribution(counts.length))
      for (const [at, count] of counts.entries()) known.counts[at]! += count
      known.sum += sum
    }
  }
  return sums
}

export function formatCounter({ labels, ...family }: MetricFamily, counts: Counts): string {
  const samples = [...counts].map(
    ([key, { count }]) => `${family.name}${inBraces(formatLabels(labels, key))} ${count}`,
  )
  return formatFamily(family, 'counter', samples)
}

export function formatHistogram(family: HistogramFamily, distributions: Distributions): string {
  const samples = [...distributions].flatMap(([key, distribution]) =>
    distributionLines(family, formatLabels(family.labels, key), distribution),
  )
  return formatFamily(family, 'histogram', samples)
}

/** A family with one given value. */
export function formatReading(type: 'counter' | 'gauge', name: string, help: string, value: number): string {
  return formatFamily({ name, help }, type, [`${name} ${value}`])
}

function formatFamily(
  { name, help }: Pick<MetricFamily, 'name' | 'help'>,
  type: 'counter' | 'gauge' | 'histogram',
  samples: readonly string[],
): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples, ''].join('\n')
}

/** Buckets are cumulative in the text format. */
function distributionLines(
  { name, buckets }: HistogramFamily,
  labels: string,
  { counts, sum }: Distribution,
): readonly string[] {
  const prefix = labels === '' ? '' : `${labels},`
  let count = 0
  const lines = counts.map((bucketCount, at) => {
    count += bucketCount
    return `${name}_bucket{${prefix}le="${buckets[at] ?? '+Inf'}"} ${count}`
  })
  return [...lines, `${name}_sum${inBraces(labels)} ${sum}`, `${name}_count${inBraces(labels)} ${count}`]
}

/**
 * The value below which this share of the values is, estimated within its bucket as Prometheus does. Values
 * beyond the last bound count as that bound.
 */
export function quantileOf(counts: readonly number[], buckets: readonly number[], share: number): number {
  const rank = share * counts.reduce((all, count) => all + count, 0)
  let below = 0
  for (const [at, bound] of buckets.entries()) {
    const count = counts[at] ?? 0
    const lower = buckets[at - 1] ?? 0
    if (count > 0 && below + count >= rank) return lower + (bound - lower) * ((rank - below) / count)
    below += count
  }
  return buckets.at(-1) ?? 0
}

function formatLabels(names: readonly string[], key: string): string {
  const values = labelValuesOf(key)
  return names.map((name, at) => `${name}="${escapeLabel(values[at] ?? '')}"`).join(',')
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function inBraces(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}
