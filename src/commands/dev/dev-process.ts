/**
 * The entry file of the process that serves one version of a definition. The code is loaded on
 * demand, because it is then in the bundle of the commands (build.ts).
 */

const { serveDefinition } = await import('../../commands/dev/definition-server.ts')
serveDefinition()
