package main

import "errors"

type demoCommand struct{}

func (demoCommand) Run() error { return errors.New("wait") }
