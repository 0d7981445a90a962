import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['ui/web/dist/', 'ui/web/generated/', '**/node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
    rules: {
      '@typescript-eslint/no-empty-function': 'off',
      // Numbers come as ArrayLike, which is no iterable.
      '@typescript-eslint/prefer-for-of': 'off',
    },
  },
  {
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: globals.browser },
    rules: {
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 20],
      'no-restricted-properties': ['error', ...['innerHTML', 'outerHTML'].map((property) => ({ property }))],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      // v !== v is how NaN is told from null and undefined at once.
      'no-self-compare': 'off',
    },
  },
  { files: ['**/*.mjs', 'ui/web/eslint.config.js'], languageOptions: { globals: globals.node } },
);
