/** Prometheus' text format 0.0.4: counters, gauges and histograms, with labels in a fixed order. */

/** The values of a family's labels, in the order of their names. */
export type LabelValues = readonly string[]

export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Sample lines, in a stable order. */
  samples(): Iterable<string>
}

export function formatMetricFamilies(families: readonly MetricFamily[]): string {
  let text = ''
  for (const { name, help, type, samples } of families) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
    for (const sample of samples()) text += `${sample}\n`
  }
  return text
}

/** Counts by label values, as plain data for RPC. */
export type Counts = readonly (readonly [key: string, count: number])[]

/** One number of a counter; frequent users keep a reference to it. */
export interface Count {
  count: number
}

export interface Counter extends MetricFamily {
  add(values: LabelValues): void
  at(values: LabelValues): Count
  read(): Counts
  /** Adds the counts of another process. */
  absorb(counts: Counts): void
}

export function createCounter(name: string, help: string, labels: readonly string[]): Counter {
  const counts = new Map<string, Count>()

  function countAt(key: string): Count {
    const known = counts.get(key)
    if (known) return known
    const created = { count: 0 }
    counts.set(key, created)
    return created
  }

  return {
    name,
    help,
    type: 'counter',
    add(values) {
      countAt(keyOf(values)).count += 1
    },
    at: (values) => countAt(keyOf(values)),
    read: () => [...counts].map(([key, { count }]) => [key, count]),
    absorb(others) {
      for (const [key, count] of others) countAt(key).count += count
    },
    *samples() {
      for (const [key, { count }] of counts) {
        yield `${name}${inBraces(formatLabels(labels, key))} ${count}`
      }
    },
  }
}

/** A family with one given value. */
export function createReading(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: number,
): MetricFamily {
  return { name, help, type, samples: () => [`${name} ${value}`] }
}

/** Distributions by label values, as plain data for RPC. */
export type Distributions = readonly (readonly [
  key: string,
  { readonly counts: readonly number[]; readonly sum: number },
])[]

export interface Histogram extends MetricFamily {
  observe(values: LabelValues, value: number): void
  /** Returns a function that observes values under these labels. */
  at(values: LabelValues): (value: number) => void
  read(): Distributions
  /** Adds the distributions of another process, with the same buckets. */
  absorb(distributions: Distributions): void
}

interface Distribution {
  /** The count of each bucket; the last has no upper bound. */
  readonly counts: number[]
  sum: number
}

export interface HistogramOptions {
  readonly labels: readonly string[]
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[]
}

export function createHistogram(name: string, help: string, options: HistogramOptions): Histogram {
  const { labels, buckets } = options
  const distributions = new Map<string, Distribution>()
  const empty = (): Distribution => ({ counts: new Array(buckets.length + 1).fill(0), sum: 0 })
  // A histogram without labels has one distribution, shown from the start.
  if (labels.length === 0) distributions.set(keyOf([]), empty())

  function distributionAt(key: string): Distribution {
    const known = distributions.get(key)
    if (known) return known
    const created = empty()
    distributions.set(key, created)
    return created
  }

  function observeIn(known: Distribution, value: number): void {
    let at = 0
    while (at < buckets.length && value > buckets[at]!) at += 1
    known.counts[at]! += 1
    known.sum += value
  }

  return {
    name,
    help,
    type: 'histogram',
    observe: (values, value) => observeIn(distributionAt(keyOf(values)), value),
    at(values) {
      const known = distributionAt(keyOf(values))
      return (value) => observeIn(known, value)
    },
    read: () => [...distributions].map(([key, { counts, sum }]) => [key, { counts, sum }]),
    absorb(others) {
      for (const [key, { counts, sum }] of others) {
        const known = distributionAt(key)
        for (const [at, count] of counts.entries()) known.counts[at]! += count
        known.sum += sum
      }
    },
    *samples() {
      for (const [key, known] of distributions) {
        yield* distributionLines(name, formatLabels(labels, key), known, buckets)
      }
    },
  }
}

/** Buckets are cumulative in the text format. */
function* distributionLines(
  name: string,
  labels: string,
  { counts, sum }: Distribution,
  buckets: readonly number[],
): Iterable<string> {
  const prefix = labels === '' ? '' : `${labels},`
  let count = 0
  for (const [at, bucketCount] of counts.entries()) {
    count += bucketCount
    yield `${name}_bucket{${prefix}le="${buckets[at] ?? '+Inf'}"} ${count}`
  }
  yield `${name}_sum${inBraces(labels)} ${sum}`
  yield `${name}_count${inBraces(labels)} ${count}`
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

const separator = '\0'

function keyOf(values: LabelValues): string {
  return values.join(separator)
}

/** The values of the labels in the key of a count or distribution. */
export function labelValuesOf(key: string): LabelValues {
  return key.split(separator)
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
