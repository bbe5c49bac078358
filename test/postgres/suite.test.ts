/**
 * The tests whose results depend on the database, on PostgreSQL: the contract of the store,
 * conditions, pages, aggregates, rules that look at other records, and the service over HTTP.
 * `TEST_DATABASE=postgres npm test` runs every test on it.
 */

process.env.TEST_DATABASE = 'postgres'

await import('../store/postgres-contract.ts')
await import('../store/condition.test.ts')
await import('../store/keyset.test.ts')
await import('../store/path-order.test.ts')
await import('../store/first-referring.test.ts')
await import('../access/tenants.test.ts')
await import('../query/aggregates.test.ts')
await import('../query/aggregates-naive.test.ts')
await import('../query/aggregate-formats.test.ts')
await import('../query/paths.test.ts')
await import('../query/embedded-lists.test.ts')
await import('../rfc/rfc9110-demo.test.ts')
await import('../requests/exclusive.test.ts')
await import('../requests/immutable.test.ts')
await import('../requests/unique-sets.test.ts')
await import('../relations/sub-collections.test.ts')
await import('../relations/sub-collection-writes.test.ts')
await import('../relations/tracker.test.ts')
await import('../relations/derived.test.ts')
await import('../store/derived.test.ts')
await import('../work/log-consumer.test.ts')
await import('../requests/refs.test.ts')
await import('../requests/set-members.test.ts')
await import('../requests/set-queries.test.ts')
await import('../html/import.test.ts')

export {}
