/**
 * Builds the JavaScript of the package: a few bundles in one folder, `dist/`, because Node takes
 * time to find and link each file. `src/package-paths.ts` relies on the single folder.
 */

import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'
import { clientScriptFile, clientTemplate } from './src/describe/client-source.ts'

/** The public modules, and the entry files of processes that run a service. */
const programs = [
  'src/cli.ts',
  'src/index.ts',
  'src/client.ts',
  'src/commands/workers/worker.ts',
  'src/commands/dev/dev-process.ts',
]

/** The entry files of threads and of a process that share little with a service; each is one file. */
const singleFiles = [
  'src/store/sqlite/write/writer-main.ts',
  'src/store/sqlite/read/reader-main.ts',
  'src/store/sqlite/connection/file-check-main.ts',
]

/** The paths below `src/`, without extension. */
function inSource(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: 'src' }).map((path) => path.slice(0, -'.ts'.length))
}

/** Puts modules that are loaded on demand into one bundle, by their paths below `src/`, if their feature was not removed. */
function together(name: string, given: readonly string[]): Plugin {
  const modules = given.filter((module) => existsSync(`src/${module}.ts`))
  const contents = modules.map((module) => `export * from './${module}.ts'`).join('\n')
  const files = new Set(modules.map((module) => resolve('src', `${module}.ts`)))
  return {
    name,
    setup({ onResolve, onLoad }) {
      const filter = new RegExp(`/(${modules.map((module) => basename(module)).join('|')})\\.ts$`)
      onResolve({ filter }, ({ kind, path, resolveDir }) =>
        kind === 'dynamic-import' && files.has(resolve(resolveDir, path))
          ? { path: name, namespace: 'together' }
          : undefined,
      )
      onLoad({ filter: new RegExp(`^${name}$`), namespace: 'together' }, () => ({
        contents,
        resolveDir: 'src',
      }))
    },
  }
}

/**
 * All commands except `serve` and `init`, the process of `dev`, and what reads backups, which some commands use. With one
 * bundle per command, the shared code would be split into twice as many files, and `serve` would load them all.
 */
const otherCommands = [...readFileSync('src/cli.ts', 'utf8').matchAll(/import\('\.\/(.+)\.ts'\)/g)]
  .map(([, module = '']) => module)
  .filter((module) => !['commands/serve', 'commands/init', 'service/features'].includes(module))
  .concat(
    inSource('features/*/*-command.ts'),
    'commands/dev/definition-server',
    'operation/backup/backup-list',
    'operation/backup/open-backup-place',
  )

/**
 * The code of features: a service needs much of it at its start. In several bundles it would be split into more files,
 * with which a service starts later.
 */
const features = [
  ...inSource('features/*/parts.ts'),
  'features/logic/create-logic-runner',
  'features/logic/after/after-hook-runner',
  'features/logic/schedules/schedule-runner',
  'features/logic/jobs/job-runner',
  'features/logic/system-access',
  'features/logic/record-checks',
  'store/files/open-file-store',
  'features/files/remove-unused-files',
  'features/files/file-figures',
  'features/files/import-files',
]

const options = {
  outdir: 'dist',
  entryNames: '[name]',
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node26',
  sourcemap: 'linked',
  // The package contains the sources.
  sourcesContent: false,
  logLevel: 'warning',
} satisfies BuildOptions

// Chunks of former builds have other names.
for (const former of globSync('dist/*.js{,.map}')) rmSync(former)
await build({ ...options, entryPoints: singleFiles })
await build({
  ...options,
  entryPoints: programs,
  chunkNames: '[name]-[hash]',
  // Shared modules exist once, so that `instanceof` works across bundles.
  splitting: true,
  plugins: [together('features', features), together('other-commands', otherCommands)],
})

// Browsers load it, so it is as short as it can be.
mkdirSync(join('dist', dirname(clientScriptFile)), { recursive: true })
const { code } = await transform(clientTemplate(), { minify: true, format: 'esm', target: 'es2024' })
writeFileSync(join('dist', clientScriptFile), code)

// The compiler declares all modules; those that the public ones do not import are removed.
const declarations = new Set(globSync('dist/**/*.d.ts'))

/** Keeps the declaration file and those that it imports. Examples in comments import other files. */
function keepDeclaration(file: string): void {
  if (!declarations.delete(file)) return
  const imports = readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\..+?)\.ts['"]/g)
  for (const [, path = ''] of imports) keepDeclaration(`${join(dirname(file), path)}.d.ts`)
}

for (const name of ['index', 'client']) keepDeclaration(`dist/${name}.d.ts`)
for (const file of declarations) for (const unused of [file, `${file}.map`]) rmSync(unused)

// npm leaves the lock file out of packages, but the container file that they contain installs from it.
copyFileSync('package-lock.json', 'dist/package-lock.json')
