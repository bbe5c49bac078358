/** Logic, jobs and event pages on PostgreSQL, with two nodes. */

process.env.TEST_DATABASE = 'postgres'

await import('../features/logic/before.test.ts')
await import('../features/logic/job-creators.test.ts')
await import('../requests/events/feed.test.ts')

export {}
