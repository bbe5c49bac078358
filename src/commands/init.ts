/**
 * `restwell init`: creates a small project that runs, in a folder that is empty or has only the
 * files of `npm install restwell`.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { parseFlags } from '../operation/configuration/flags.ts'
import { packageFolder } from '../package-paths.ts'

/** The folders of the package with the definition and the test of each template. */
const templates: Readonly<Record<string, string>> = {
  minimal: 'templates/minimal',
  tracker: 'examples/tracker',
}

export const init: Command = {
  usage: '[folder] [--template minimal|tracker]',
  summary: 'Creates a small project: definition, test, package.json, README.',
  async run(args) {
    const { given, template } = parseArguments(args)
    const folder = requireFreeFolder(resolve(given))
    const files = createFiles(folder, join(packageFolder, template))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const enter = given === '.' ? '' : `cd ${given} && `
    process.stdout.write(
      `Created ${Object.keys(files).join(', ')}.\nNext: ${enter}npm install && npm run dev\n`,
    )
    return 0
  },
}

function parseArguments(args: readonly string[]): { readonly given: string; readonly template: string } {
  const { values, words } = parseFlags(args, { values: ['template'] })
  const [given = '.', ...others] = words
  if (others.length > 0) throw new CommandFault(`Expected one folder, got '${words.join(' ')}'.`)
  const { template = 'minimal' } = values
  if (Object.hasOwn(templates, template)) return { given, template: templates[template] as string }
  throw new CommandFault(
    `There is no template '${template}'. Expected: ${Object.keys(templates).join(', ')}.`,
  )
}

/** Files of Git and npm. Only package.json is changed. */
const allowedFiles: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'package.json',
  'package-lock.json',
])

/** Creates the folder if it is missing. Throws a CommandFault when it has other files. */
function requireFreeFolder(folder: string): string {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
  const found = readdirSync(folder).filter((name) => !allowedFiles.has(name))
  if (found.length === 0) return folder
  throw new CommandFault(
    `${folder} is not empty: it contains ${found.slice(0, 3).join(', ')}. Name a new folder.`,
  )
}

function createFiles(folder: string, template: string): Readonly<Record<string, string>> {
  const name =
    basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'service'
  const manifest = createManifest(name, readManifest(folder))
  const project = join(packageFolder, 'templates/project')
  const read = (from: string, file: string) => readFileSync(join(from, file), 'utf8')
  const code = readdirSync(template).filter((file) => file.endsWith('.ts'))
  return {
    ...Object.fromEntries(code.map((file) => [file, read(template, file)])),
    'tsconfig.json': read(project, 'tsconfig.json'),
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': read(project, 'README.md').replace('{name}', name),
    // npm puts no .gitignore into a package.
    '.gitignore': read(project, 'gitignore'),
  }
}

const neededNode = 26

type Members = Readonly<Record<string, unknown>>

/** The members of an existing package.json. */
function readManifest(folder: string): Members {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return {}
  try {
    return membersOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CommandFault(`${file} is not valid JSON. Correct it, or name a new folder.`, {
      cause,
    })
  }
}

/**
 * Adds the members that the project needs. It replaces only two that `npm init` writes: the type
 * `commonjs`, which has no `import`, and the test that fails.
 */
function createManifest(name: string, existing: Members) {
  const { version, devDependencies: own } = readOwnManifest()
  const isOld = Number.parseInt(process.versions.node, 10) < neededNode
  const scripts = { ...membersOf(existing.scripts) }
  if (String(scripts.test).includes('no test specified')) delete scripts.test
  return {
    name,
    private: true,
    ...existing,
    type: 'module',
    engines: { node: `>=${neededNode}`, ...membersOf(existing.engines) },
    scripts: {
      start: 'restwell serve service.ts',
      dev: 'restwell dev service.ts',
      check: 'restwell check service.ts',
      test: 'node --test',
      ...scripts,
    },
    dependencies: { restwell: `^${version}`, ...membersOf(existing.dependencies) },
    devDependencies: {
      '@types/node': `^${own['@types/node']}`,
      // npm runs the scripts with this Node where the machine has an older one.
      ...(isOld ? { node: `^${own.node}` } : {}),
      typescript: `^${own.typescript}`,
      ...membersOf(existing.devDependencies),
    },
    // npm 12 runs the scripts of a package only where they are allowed; that of `node` installs it.
    ...(isOld ? { allowScripts: { node: true, ...membersOf(existing.allowScripts) } } : {}),
  }
}

interface OwnManifest {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

function readOwnManifest(): OwnManifest {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as OwnManifest
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}
