// Renders a chart as Helm does: Go's templates, Sprig's functions, and Helm's own include, toYaml and required.
//
//	render-chart CHART RELEASE < values.yaml
//
// Values from standard input lie over those of the chart.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func over(below, above map[string]interface{}) map[string]interface{} {
	for key, value := range above {
		inner, isMap := value.(map[string]interface{})
		known, wasMap := below[key].(map[string]interface{})
		if isMap && wasMap {
			below[key] = over(known, inner)
		} else {
			below[key] = value
		}
	}
	return below
}

func read(file string) map[string]interface{} {
	text, err := os.ReadFile(file)
	check(err)
	values := map[string]interface{}{}
	check(yaml.Unmarshal(text, &values))
	return values
}

func main() {
	chart, release := os.Args[1], os.Args[2]
	given := map[string]interface{}{}
	text, err := io.ReadAll(os.Stdin)
	check(err)
	check(yaml.Unmarshal(text, &given))
	about := map[string]interface{}{}
	for key, value := range read(filepath.Join(chart, "Chart.yaml")) {
		about[strings.ToUpper(key[:1])+key[1:]] = value
	}
	facts := map[string]interface{}{
		"Values":  over(read(filepath.Join(chart, "values.yaml")), given),
		"Chart":   about,
		"Release": map[string]interface{}{"Name": release, "Service": "Helm", "Namespace": "default"},
	}

	all := template.New("chart").Option("missingkey=error").Funcs(sprig.TxtFuncMap())
	all.Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var out bytes.Buffer
			err := all.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"toYaml": func(value interface{}) (string, error) {
			out, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(out), "\n"), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
	})
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		var out bytes.Buffer
		check(all.ExecuteTemplate(&out, filepath.Base(file), facts))
		fmt.Printf("---\n# %s\n%s\n", filepath.Base(file), out.String())
	}
}
