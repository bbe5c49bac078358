/** Creates a definition with many resources, each of 31 fields, six of them references. */

import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  ref,
  resource,
  service,
  text,
  timestamp,
  url,
} from 'restwell'

const kinds = [
  () => text({ max: 200 }),
  () => integer({ min: 0 }),
  () => decimal({ scale: 2, min: '0' }),
  () => boolean(),
  () => date(),
  () => timestamp(),
  () => choice(['low', 'middle', 'high']),
  () => email(),
  () => url(),
  () => text(),
] as const

const references = 6
const fields = 31

export function largeService(count: number) {
  const names = Array.from({ length: count }, (_, at) => `things-${at}`)
  return service({
    title: `${count} resources`,
    resources: Object.fromEntries(names.map((name, at) => [name, oneOf(names, at)])),
  })
}

function oneOf(names: readonly string[], at: number) {
  const targets = Array.from({ length: references }, (_, step) => {
    // A name is there for every number below their count.
    const target = names[(at + step + 1) % names.length] as string
    return [`ref${step}`, ref(target).optional()] as const
  })
  const values = Array.from({ length: fields - references }, (_, number) => {
    const make = kinds[number % kinds.length] as (typeof kinds)[number]
    return [`field${number}`, make().optional()] as const
  })
  return resource(Object.fromEntries([...targets, ...values]), {
    access: { read: anyone, create: anyone, update: anyone, delete: anyone },
  })
}

export default largeService(Number(process.env.RESOURCES ?? 200))
